import { parseSchedule } from './cron.schedule.js';
import { Cluster } from './workloads.spec-support.js';

const CRON_JOBS = { group: 'batch', plural: 'cronjobs' };
const JOBS = { group: 'batch', plural: 'jobs' };
const MINUTE = 60_000;
let cluster: Cluster;
const create = (spec: object = {}, seconds = 1) => {
  const annotations = { 'embedded-kube/run-seconds': String(seconds) };
  const template = {
    metadata: { annotations },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
  };
  const jobTemplate = { spec: { template } };
  return cluster.create(CRON_JOBS, {
    metadata: { name: 'tick' },
    spec: { schedule: '* * * * *', jobTemplate, ...spec },
  });
};
const status = () => cluster.status(CRON_JOBS, 'tick');

beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.kube.stop());

describe('parseSchedule', () => {
  const from = Date.parse('2026-01-01T00:00:30Z');
  it.each([
    ['*/5 * * * *', undefined, '2026-01-01T00:05:00Z'],
    ['0 9 * * MON-FRI', 'Europe/Berlin', '2026-01-01T08:00:00Z'],
    ['@daily', undefined, '2026-01-02T00:00:00Z'],
    ['@every 1h30m', undefined, '2026-01-01T01:30:30Z'],
    ['0 0 13 * 5', undefined, '2026-01-02T00:00:00Z'],
  ])('should know the next time of %s', (schedule, timeZone, expected) => {
    expect(parseSchedule(schedule, timeZone).next(from)).toBe(Date.parse(expected));
  });

  it.each(['nonsense', '@every x', '* * * * * *'])('should refuse %s', (schedule) => {
    expect(() => parseSchedule(schedule)).toThrow();
  });
});

describe('CronJobController', () => {
  it('should start a job at each time of its schedule, and keep the last ones', async () => {
    await create();
    await cluster.clock.advance(6 * MINUTE);
    const jobs = cluster.names(JOBS);
    expect(jobs).toHaveLength(3);
    const last = Math.floor(cluster.clock.now() / MINUTE);
    expect(jobs.at(-1)).toMatch(/^tick-\d{8}$/);
    expect(last - Number(jobs.at(-1)!.slice(5))).toBeLessThanOrEqual(1);
    expect(cluster.get(JOBS, jobs[0])?.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', controller: true }]);
    expect(Date.parse(status().lastScheduleTime)).toBe(Number(jobs.at(-1)!.slice(5)) * MINUTE);
    expect(status().lastSuccessfulTime).toBeDefined();
    expect(cluster.events('CronJob')).toEqual(
      expect.arrayContaining([
        `SuccessfulCreate: Created job ${jobs[0]}`,
        `SawCompletedJob: Saw completed job: ${jobs[0]}, condition: Complete`,
      ]),
    );
  });

  it.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ])('should have so many jobs at a time under %s', async (concurrencyPolicy, count) => {
    await create({ concurrencyPolicy }, 3600);
    await cluster.clock.advance(3 * MINUTE);
    expect(cluster.names(JOBS)).toHaveLength(count);
    expect(status().active).toHaveLength(count);
  });

  it('should rest while it is suspended', async () => {
    await create({ suspend: true });
    await cluster.clock.advance(3 * MINUTE);
    expect(cluster.names(JOBS)).toEqual([]);
    await cluster.patch(CRON_JOBS, 'tick', { spec: { suspend: false, startingDeadlineSeconds: 10 } });
    await cluster.clock.advance(MINUTE);
    expect(cluster.names(JOBS)).toHaveLength(1);
  });
});
