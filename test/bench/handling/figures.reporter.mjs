// Loaded into the process of the operator before its own code: answers each message with the figures since the one before it.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let peak = 0;
const heapUsed = () => getHeapStatistics().used_heap_size;
setInterval(() => (peak = Math.max(peak, heapUsed())), 10).unref();
let before = process.cpuUsage();

process.on('message', ({ collect }) => {
  const { user, system } = process.cpuUsage(before);
  const figures = { cpu: (user + system) / 1000, peak, longestTurn: delay.max / 1e6, rss: process.memoryUsage.rss() };
  if (collect) for (let round = 0; round < 3; round += 1) globalThis.gc();
  process.send({ ...figures, heap: heapUsed() });
  peak = 0;
  delay.reset();
  before = process.cpuUsage();
});
process.channel.unref();
