-- Random paths of a list: URLS=file in the environment, a path a line.

local paths = {}

for line in io.lines(os.getenv("URLS")) do
    paths[#paths + 1] = line:match("^(%S+)")
end

local threads = 0

function setup(thread)
    thread:set("seed", threads)
    threads = threads + 1
end

function init()
    math.randomseed(seed + 1)
end

function request()
    return wrk.format("GET", paths[math.random(#paths)])
end

function done(summary, latency)
    io.write(string.format("RESULT %d %d %d %f %f %f %f %f\n",
        summary.requests,
        summary.errors.connect + summary.errors.read + summary.errors.write
        + summary.errors.status + summary.errors.timeout,
        summary.duration, latency.mean, latency:percentile(50),
        latency:percentile(99), latency:percentile(99.9), latency.max))
end
