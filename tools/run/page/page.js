/*
 * Lists the folder that /list/ shows, and plays what /vod/ makes of it.
 *
 * /?asset=PATH chooses a file at once, &player=native|hls.js a player.
 */

'use strict';

const $ = (id) => document.getElementById(id);
const video = $('video');
const parameters = new URLSearchParams(location.search);
const HLS_TYPE = 'application/vnd.apple.mpegurl';

let hls = null;
let current = null;


/* each step of a path by itself: names may hold any character */

function url(prefix, path)
{
    return prefix + path.split('/').map(encodeURIComponent).join('/');
}


async function list(path)
{
    const answer = await fetch(url('/list/', path));

    if (!answer.ok) {
        throw new Error(`/list/${path}: ${answer.status}`);
    }

    return answer.json();
}


/* every file below a folder, as the folders are read */

async function walk(folder, found)
{
    const entries = await list(folder);

    entries.sort((a, b) => a.name.localeCompare(b.name));

    for (const entry of entries) {
        if (entry.type === 'file') {
            found(folder + entry.name, entry);
        }
    }

    for (const entry of entries) {
        if (entry.type === 'directory') {
            await walk(folder + entry.name + '/', found);
        }
    }
}


function link(text, href)
{
    const a = document.createElement('a');
    a.textContent = text;
    a.href = href;
    return a;
}


function add(path, entry)
{
    const item = document.createElement('li');
    const button = document.createElement('button');
    const small = document.createElement('small');
    const base = url('/vod/', path);

    button.type = 'button';
    button.textContent = path;
    button.addEventListener('click', () => play(path));

    small.append(link('master.m3u8', base + '/master.m3u8'), ' ',
                 link('manifest.mpd', base + '/manifest.mpd'), ' ',
                 Math.ceil(entry.size / 1024) + ' KB ');

    item.append(button, small);
    item.dataset.path = path;
    $('files').append(item);
    seen.observe(item);
}


/* a file is asked about when it comes into sight: folders may be large */

const seen = new IntersectionObserver((items) => {
    for (const item of items) {
        if (item.isIntersecting) {
            seen.unobserve(item.target);
            describe(item.target);
        }
    }
});


async function describe(item)
{
    const answer = await fetch(url('/vod/', item.dataset.path)
                               + '/master.m3u8');
    const text = answer.ok ? await answer.text() : '';
    const small = item.querySelector('small');

    if (!answer.ok) {
        item.querySelector('button').classList.add('refused');
        small.append(answer.status === 422
                     ? '· not served (422), the error log says why'
                     : `· not served (${answer.status})`);
        return;
    }

    const codecs = /CODECS="([^"]*)"/.exec(text);
    const size = /RESOLUTION=(\d+x\d+)/.exec(text);

    small.append('· ' + [size && size[1], codecs && codecs[1]]
                        .filter(Boolean).join(' '));
}


function fail(text)
{
    $('error').textContent = text;
    $('error').hidden = false;
}


function players()
{
    const wanted = $('player').value;
    const native = video.canPlayType(HLS_TYPE) !== '';
    const library = window.Hls !== undefined && Hls.isSupported();

    if (wanted !== 'auto') {
        return wanted;
    }

    return native ? 'native' : library ? 'hls.js' : null;
}


function play(path)
{
    const base = url('/vod/', path);
    const player = players();

    if (hls) {
        hls.destroy();
        hls = null;
    }

    current = path;
    $('error').hidden = true;
    $('links').hidden = false;
    $('hls').href = base + '/master.m3u8';
    $('dash').href = base + '/manifest.mpd';
    $('now').textContent = path;

    for (const item of $('files').children) {
        const button = item.querySelector('button');
        button.toggleAttribute('aria-current', item.dataset.path === path);
    }

    if (player === 'native') {
        video.src = base + '/master.m3u8';

    } else if (player === 'hls.js' && window.Hls) {
        hls = new Hls();
        hls.on(Hls.Events.ERROR, (event, data) => {
            if (data.fatal) {
                fail(`hls.js: ${data.details}`
                     + (data.response ? ` (${data.response.code})` : ''));
            }
        });
        hls.loadSource(base + '/master.m3u8');
        hls.attachMedia(video);

    } else {
        fail('This browser does not play HLS itself, and hls.js is not '
             + 'installed: "make run" installs it where npm is. The links '
             + 'work in any player that takes a URL.');
        return;
    }

    video.play().catch(() => {});
}


video.addEventListener('error', () => {
    const error = video.error;

    if (error) {
        fail(`The browser: ${error.message || 'media error ' + error.code}`);
    }
});

$('player').addEventListener('change', () => current && play(current));

$('filter').addEventListener('input', () => {
    const wanted = $('filter').value.toLowerCase();

    for (const item of $('files').children) {
        item.hidden = !item.dataset.path.toLowerCase().includes(wanted);
    }
});


async function start()
{
    let count = 0;

    if (parameters.has('player')) {
        $('player').value = parameters.get('player');
    }

    if (parameters.has('asset')) {
        play(parameters.get('asset'));
    }

    await walk('', (path, entry) => {
        add(path, entry);
        count++;
        $('summary').textContent = `${count} files so far…`;
    });

    $('summary').textContent = count === 1 ? '1 file' : `${count} files`;
}

start().catch((error) => {
    $('summary').textContent = `The folder cannot be read: ${error.message}`;
});
