import { fuzz } from './fuzz.run.js';

/** All 50,000 requests: `BAD_REQUESTS=50000 npx vitest run test/conformance/bad-input`; `BAD_SEED` repeats a batch. */
const REQUESTS = Number(process.env.BAD_REQUESTS ?? 1000);
const SEED = Number(process.env.BAD_SEED ?? 1);

describe('embedded-kube with bad input', () => {
  it(
    `should answer ${REQUESTS} random requests with a Status, without an error of its own, each in less than a second`,
    async () => {
      const { codes, failures, slowest } = await fuzz(REQUESTS, SEED);
      const summary = [...codes].sort(([one], [other]) => one - other).map(([code, count]) => `${code}: ${count}`);
      if (process.env.BAD_REQUESTS) {
        console.log(
          `${summary.join(', ')}; slowest: ${Math.round(slowest.milliseconds)} ms of CPU: ${slowest.request}`,
        );
      }
      expect(failures.slice(0, 5).join('\n\n'), `${failures.length} failures`).toBe('');
      // Requests that all are refused for the same reason would show nothing.
      for (const code of [200, 201, 400, 404, 415, 422]) expect(codes.get(code), `${code}`).toBeGreaterThan(5);
    },
    60_000 + REQUESTS * 50,
  );
});
