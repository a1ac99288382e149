import { formatIndexes, parseIndexes } from './job.indexes.js';
import { Cluster, PODS } from './workloads.spec-support.js';

const JOBS = { group: 'batch', plural: 'jobs' };
let cluster: Cluster;
const annotated = (exitCode: number, seconds = 1) => ({
  'embedded-kube/run-seconds': String(seconds),
  'embedded-kube/exit-code': String(exitCode),
});
const job = (spec: object = {}, exitCode = 0, seconds = 1) => ({
  metadata: { name: 'task' },
  spec: {
    ...spec,
    template: {
      metadata: { annotations: annotated(exitCode, seconds) },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] },
    },
  },
});
const status = () => cluster.status(JOBS, 'task');
const conditions = (): string[] =>
  (status().conditions ?? []).map(
    ({ type, status: value, reason }: Record<string, string>) => `${type} ${value} ${reason}`,
  );

beforeEach(async () => {
  cluster = await Cluster.start();
});
afterEach(() => cluster.kube.stop());

describe('completion indexes', () => {
  it.each([
    [[], ''],
    [[0], '0'],
    [[0, 1], '0,1'],
    [[0, 1, 2, 5, 7, 8], '0-2,5,7,8'],
  ])('should be listed as in a status: %j', (indexes, text) => {
    expect(formatIndexes(new Set(indexes))).toBe(text);
    expect(parseIndexes(text)).toEqual(new Set(indexes));
  });
});

describe('JobController', () => {
  it('should run each index of an indexed job once, with its index', async () => {
    await cluster.create(JOBS, job({ completionMode: 'Indexed', completions: 3, parallelism: 2 }));
    await cluster.clock.advance(10);
    expect(cluster.names(PODS).map((name) => name.slice(0, 7))).toEqual(['task-0-', 'task-1-']);
    expect(cluster.get(PODS, cluster.names(PODS)[1])).toMatchObject({
      metadata: { annotations: { 'batch.kubernetes.io/job-completion-index': '1' } },
      spec: { hostname: 'task-1', containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }] },
    });
    await cluster.clock.advance(10_000);
    expect(status()).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    expect(conditions()).toEqual(['SuccessCriteriaMet True CompletionsReached', 'Complete True CompletionsReached']);
    expect(cluster.events('Job').at(-1)).toBe('Completed: Job completed');
  });

  it('should be deleted some time after it has ended, if it says so', async () => {
    await cluster.create(JOBS, job({ ttlSecondsAfterFinished: 60 }));
    await cluster.clock.advance(50_000);
    expect(conditions()).toContain('Complete True CompletionsReached');
    await cluster.clock.advance(20_000);
    expect(cluster.get(JOBS, 'task')).toBeUndefined();
  });

  it('should have no pods while it is suspended, and go on when it is resumed', async () => {
    await cluster.create(JOBS, job({ suspend: true }));
    await cluster.clock.advance(1000);
    expect(cluster.names(PODS)).toEqual([]);
    expect(conditions()).toEqual(['Suspended True JobSuspended']);
    await cluster.patch(JOBS, 'task', { spec: { suspend: false } });
    await cluster.clock.advance(100);
    expect(cluster.names(PODS)).toHaveLength(1);
    await cluster.patch(JOBS, 'task', { spec: { suspend: true } });
    await cluster.clock.advance(500);
    expect(cluster.names(PODS)).toEqual([]);
    expect(status()).toMatchObject({ ready: 0 });
    expect(status().startTime).toBeUndefined();
    await cluster.patch(JOBS, 'task', { spec: { suspend: false } });
    await cluster.clock.advance(5000);
    expect(conditions().at(-1)).toBe('Complete True CompletionsReached');
    expect(cluster.events('Job')).toContain('Resumed: Job resumed');
  });

  it('should fail after its deadline', async () => {
    await cluster.create(JOBS, job({ activeDeadlineSeconds: 30 }, 0, 3600));
    await cluster.clock.advance(29_000);
    expect(conditions()).toEqual([]);
    await cluster.clock.advance(5000);
    expect(conditions()).toEqual(['FailureTarget True DeadlineExceeded', 'Failed True DeadlineExceeded']);
    expect(cluster.names(PODS)).toEqual([]);
  });

  it('should follow its pod failure policy', async () => {
    const rule = (action: string, values: number[]) => ({ action, onExitCodes: { operator: 'In', values } });
    const podFailurePolicy = { rules: [rule('Ignore', [7]), rule('FailJob', [42])] };
    await cluster.create(JOBS, job({ podFailurePolicy, backoffLimit: 0 }, 42));
    await cluster.clock.advance(5000);
    expect(conditions().at(-1)).toBe('Failed True PodFailurePolicy');
    expect(status().conditions.at(-1).message).toMatch(
      /^Container main for pod default\/task-\w+ failed with exit code 42 matching FailJob rule at index 1$/,
    );
    await cluster.create(JOBS, { ...job({ podFailurePolicy, backoffLimit: 0 }, 7), metadata: { name: 'ignored' } });
    await cluster.clock.advance(5000);
    expect(cluster.status(JOBS, 'ignored').conditions).toBeUndefined();
    expect(cluster.status(JOBS, 'ignored').failed).toBeGreaterThan(1);
  });

  it('should limit the failures of each index', async () => {
    const spec = { completionMode: 'Indexed', completions: 2, parallelism: 2, backoffLimitPerIndex: 1 };
    await cluster.create(JOBS, job(spec, 1));
    await cluster.clock.advance(20_000);
    expect(status()).toMatchObject({ failed: 4, failedIndexes: '0,1' });
    expect(conditions().at(-1)).toBe('Failed True FailedIndexes');
  });

  it('should be complete by its success policy', async () => {
    const successPolicy = { rules: [{ succeededIndexes: '0' }] };
    await cluster.create(JOBS, job({ completionMode: 'Indexed', completions: 3, parallelism: 1, successPolicy }));
    await cluster.clock.advance(5000);
    expect(conditions()).toEqual(['SuccessCriteriaMet True SuccessPolicy', 'Complete True SuccessPolicy']);
    expect(status()).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  });

  it('should count pods that are gone', async () => {
    await cluster.create(JOBS, job({ completions: 2, parallelism: 1 }));
    await cluster.clock.advance(1500);
    await cluster.delete(PODS, cluster.names(PODS)[0]);
    await cluster.clock.advance(5000);
    expect(conditions().at(-1)).toBe('Complete True CompletionsReached');
  });
});
