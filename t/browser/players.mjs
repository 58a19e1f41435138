/*
 * Real players in a headless Chromium: each asset is started, played, sought
 * in, and played to its end by Chromium's own HLS, hls.js, Shaka Player (HLS
 * and DASH) and dash.js.  Assets whose pictures carry their number (frames.*)
 * show that a seek lands where it says.
 *
 *   node players.mjs BUILD OUT ASSET...
 *
 * BUILD/npm-browser has the players, BUILD/fixtures the assets; OUT gets
 * report.json, report.html and the screenshots.  NGINX_BINARY and CHROMIUM
 * name programs.
 */

import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { accessSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync,
         constants } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [build, out, ...assets] = process.argv.slice(2).map(
    (a, i) => i < 2 ? path.resolve(a) : a);
const modules = path.join(build, 'npm-browser', 'node_modules');
const require = createRequire(path.join(modules, 'index.js'));
const { chromium } = require('playwright-core');

const FPS = 25, BITS = 12;      // of frames.*: block b of a picture is bit b
const PLAYED = 2;               // seconds without a stall
const PATIENCE = 30000;         // ms for any one step

const scripts = {
    hlsjs: 'hls.js/dist/hls.min.js',
    shaka: 'shaka-player/dist/shaka-player.compiled.js',
    dashjs: 'dashjs/dist/modern/umd/dash.all.min.js',
};
const players = [
    { name: 'native', script: null, manifest: 'master.m3u8' },
    { name: 'hls.js', script: 'hlsjs', manifest: 'master.m3u8' },
    { name: 'Shaka HLS', script: 'shaka', manifest: 'master.m3u8' },
    { name: 'Shaka DASH', script: 'shaka', manifest: 'manifest.mpd' },
    { name: 'dash.js', script: 'dashjs', manifest: 'manifest.mpd' },
];


function program(name) {
    const found = process.env.PATH.split(':').concat('/usr/sbin').map(
        (dir) => path.resolve(dir, name)).find((file) => {
            try {
                accessSync(file, constants.X_OK);
                return true;
            } catch (e) {
                return false;
            }
        });
    if (!found) { throw new Error(`there is no program ${name}`); }
    return found;
}


// ---- the server

function freePort() {
    return new Promise((resolve) => {
        const s = createServer().listen(0, '127.0.0.1', () => {
            const { port } = s.address();
            s.close(() => resolve(port));
        });
    });
}

async function startServer() {
    const dir = mkdtempSync(path.join(tmpdir(), 'vod-browser-'));
    const port = await freePort();
    chmodSync(dir, 0o755);
    const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (n) => `${n}_temp_path ${dir}/${n};`).join(' ');
    writeFileSync(`${dir}/nginx.conf`, `
        daemon off; worker_processes 2; pid ${dir}/pid;
        error_log ${dir}/error.log info;
        load_module ${build}/ngx_http_vod_module.so;
        events { worker_connections 256; }
        http { access_log off; ${temp}
            server { listen 127.0.0.1:${port};
                location = /blank { default_type text/html;
                                    return 200 "<!doctype html>"; }
                location /vod/ { vod on; alias ${build}/fixtures/; } } }`);
    const server = spawn(program(process.env.NGINX_BINARY || 'nginx'),
                         ['-p', dir, '-c', `${dir}/nginx.conf`],
                         { stdio: 'inherit' });
    const base = `http://127.0.0.1:${port}`;
    for (let i = 0; ; i++) {
        try {
            await fetch(base + '/blank');
            break;
        } catch (e) {
            if (i === 100) { throw e; }
            await new Promise((r) => setTimeout(r, 50));
        }
    }
    return { base, stop: () => { server.kill('SIGTERM');
                                 rmSync(dir, { recursive: true }); } };
}


// ---- within the page

function load([player, url]) {
    const v = document.createElement('video');
    v.muted = true;
    v.width = 320;
    document.body.append(v);
    window.video = v;
    window.errors = [];
    window.stalls = 0;
    v.addEventListener('waiting', () => {
        if (v.currentTime > 0.3 && !v.seeking && !v.ended) {
            window.stalls++;
        }
    });
    const say = (text) => window.errors.push(text);

    if (player === 'native') {
        v.src = url;
    } else if (player === 'hls.js') {
        const h = new Hls();
        h.on(Hls.Events.ERROR, (e, d) => {
            if (d.fatal) { say(d.type + ' ' + d.details); }
        });
        h.loadSource(url);
        h.attachMedia(v);
    } else if (player === 'dash.js') {
        const p = dashjs.MediaPlayer().create();
        p.updateSettings({ debug: { logLevel: 0 } });
        p.on('error', (e) => say(String(e.error && e.error.message)));
        p.initialize(v, url, true);
    } else {
        shaka.polyfill.installAll();
        const p = new shaka.Player();
        p.addEventListener('error', (e) => say('shaka ' + e.detail.code));
        p.attach(v).then(() => p.load(url)).then(() => v.play())
            .catch((e) => say('load ' + (e.code || e.name)));
        return;
    }
    v.play().catch((e) => { if (e.name !== 'AbortError') { say(e.name); } });
}

function state() {
    const v = window.video;
    if (v.error) { window.errors.push('media error ' + v.error.code + ' '
                                      + v.error.message); }
    return { time: v.currentTime, duration: v.duration, ended: v.ended,
             seeking: v.seeking, ready: v.readyState, stalls: window.stalls,
             errors: window.errors };
}

function frameNumber(bits) {
    const v = window.video, c = document.createElement('canvas');
    c.width = v.videoWidth;
    c.height = v.videoHeight;
    const g = c.getContext('2d');
    g.drawImage(v, 0, 0);
    let n = 0;
    for (let b = 0; b < bits; b++) {
        const x = Math.floor((b + 0.5) * c.width / bits);
        if (g.getImageData(x, c.height / 2, 1, 1).data[0] > 127) { n |= 1 << b; }
    }
    return n;
}


// ---- one asset in one player

class Failed extends Error {}

async function until(page, what, holds) {
    const end = Date.now() + PATIENCE;
    for ( ; ; ) {
        const s = await page.evaluate(state);
        if (s.errors.length) {
            throw new Failed(`${what}: ${s.errors.join('; ')}`);
        }
        if (holds(s)) { return s; }
        if (Date.now() > end) {
            throw new Failed(`${what}: not within ${PATIENCE} ms, `
                             + JSON.stringify(s));
        }
        await page.waitForTimeout(60);
    }
}

async function seek(page, asset, time) {
    await page.evaluate((t) => { video.pause(); video.currentTime = t; }, time);
    await until(page, `seek to ${time}`, (s) => !s.seeking && s.ready >= 2
                && Math.abs(s.time - time) < 0.01);
    if (!asset.startsWith('frames.')) { return null; }
    await page.waitForTimeout(150);             // the picture is composed
    const shown = await page.evaluate(frameNumber, BITS);
    const wanted = Math.floor(time * FPS + 0.001);
    if (Math.abs(shown - wanted) > 1) {
        throw new Failed(`seek to ${time}: picture ${shown}, not ${wanted}`);
    }
    return shown;
}

async function play(page, base, asset, player, shot) {
    await page.goto(base + '/blank');
    if (player.script) {
        await page.addScriptTag({ path: path.join(modules,
                                                  scripts[player.script]) });
    }
    await page.evaluate(load, [player.name, `${base}/vod/`
        + `${encodeURIComponent(asset)}/${player.manifest}`]);

    const begun = await until(page, 'start', (s) => s.time >= PLAYED);
    if (begun.stalls) { throw new Failed(`${begun.stalls} stalls`); }

    // late in the middle, so that a wrong key frame is seen as one

    const d = begun.duration;
    const pictures = [await seek(page, asset, Math.round(d * 50) / 100 + 0.5)];
    await page.screenshot({ path: shot });
    pictures.push(await seek(page, asset, Math.round(d * 100) / 100 - 1));
    await page.evaluate(() => { video.play(); });
    const end = await until(page, 'end', (s) => s.ended);
    return { duration: d, end: end.time, pictures };
}


// ---- all of them

const escape = (s) => String(s).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt()};`);

function html(results) {
    const rows = results.map((r) => `<tr class="${r.ok ? 'ok' : 'bad'}"><td>`
        + `${escape(r.asset)}</td><td>${r.player}</td><td>${r.ok ? 'plays' :
          escape(r.error)}</td><td><img src="${escape(r.shot)}" alt=""></td>`
        + '</tr>').join('\n');
    return '<!doctype html><meta charset="utf-8"><title>Players</title><style>'
        + 'td{padding:4px 12px}.bad{background:#fdd}img{height:90px}</style>'
        + `<table>\n${rows}\n</table>\n`;
}

async function main(server) {
    const browser = await chromium.launch({
        executablePath: program(process.env.CHROMIUM || 'chromium'),
        args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run',
               '--disable-background-networking', '--disable-component-update',
               '--disable-sync', '--mute-audio',
               '--autoplay-policy=no-user-gesture-required'] });
    const results = [];

    for (const asset of assets) {
        for (const player of players) {
            const page = await browser.newPage({ viewport: { width: 360,
                                                             height: 240 } });
            const r = { asset, player: player.name, ok: true,
                        shot: `${asset}-${player.name}.png`.replace(/ /g, '-') };
            try {
                Object.assign(r, await play(page, server.base, asset, player,
                                            path.join(out, r.shot)));
            } catch (e) {
                r.ok = false;
                r.error = String(e.message).split('\n')[0];
            }
            await page.close();
            results.push(r);
            console.log(`${r.ok ? 'ok' : 'not ok'} ${results.length} - ${asset}`
                        + ` in ${player.name}${r.ok ? '' : ': ' + r.error}`);
        }
    }

    console.log(`1..${results.length}`);
    writeFileSync(path.join(out, 'report.json'),
                  JSON.stringify(results, null, 1) + '\n');
    writeFileSync(path.join(out, 'report.html'), html(results));
    await browser.close();
    return results.length && results.every((r) => r.ok);
}

mkdirSync(out, { recursive: true });
const server = await startServer();
let passed = false;
try {
    passed = await main(server);
} finally {
    server.stop();
}
process.exit(passed ? 0 : 1);
