import { Injectable } from '@nestjs/common';
import {
  Daemon,
  OnCreate,
  OnDelete,
  OnEvent,
  OnField,
  OnResume,
  OnUpdate,
  PermanentError,
  TemporaryError,
  Timer,
  type ChangeContext,
  type DaemonContext,
  type EventContext,
  type KubeRequest,
  type KubeResponse,
  type Patch,
  type TimerContext,
} from 'nestjs-kopf';
import { respondWith } from 'nestjs-kopf/testing';
import { KEX, OperatorHarness } from '../../support/operators/operator.harness.js';

/** Stands in what handlers want and the API server refuses. */
const REFUSED = 'refused-by-the-server';

const LAST_HANDLED = 'kopf.zalando.org/last-handled-configuration';

const DENIAL = 'admission webhook "policy.example.com" denied the request: never';

interface Answer {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: object;
}

/** The ways in which an API server refuses a patch. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  a403: { code: 403, reason: 'Forbidden', message: 'cannot patch resource' },
  a404: { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' },
  a409: { code: 409, reason: 'Conflict', message: 'a webhook does not like it' },
  a413: { code: 413, reason: 'RequestEntityTooLarge', message: 'limit is 3145728' },
  a422: {
    code: 422,
    reason: 'Invalid',
    message: 'bad',
    details: { causes: [{ field: 'spec.mark', reason: 'FieldValueInvalid' }] },
  },
  bare422: { code: 422, reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
  denied: { code: 403, reason: 'Forbidden', message: DENIAL },
  denied404: { code: 404, reason: 'NotFound', message: DENIAL },
  denied409: { code: 409, reason: 'Conflict', message: DENIAL },
  a429: { code: 429, reason: 'TooManyRequests', message: 'try again later' },
  a500: { code: 500, reason: 'InternalError', message: 'failed calling webhook' },
  large: { code: 500, reason: '', message: 'etcdserver: request is too large' },
  a503: { code: 503, reason: 'ServiceUnavailable', message: 'a webhook is away' },
};

/** The parts of a patch, as a handler asks for them. */
const PARTS: Readonly<Record<string, (patch: Patch) => void>> = {
  status: (patch) => void (patch.status.mark = REFUSED),
  fields: (patch) => void (patch.spec.mark = REFUSED),
  steps: (patch) => patch.transform((body) => void (body.spec.mark = REFUSED)),
  stepstatus: (patch) => patch.transform((body) => void (body.status = { ...body.status, mark: REFUSED })),
};

const KINDS = ['create', 'update', 'delete', 'resume', 'field', 'event', 'daemon', 'timer', 'parent'] as const;
type Kind = (typeof KINDS)[number];

/** Handlers of creations and deletions meet with all answers, the others with one of each sort. */
const answersFor = (kind: Kind): readonly string[] =>
  kind === 'create' || kind === 'delete' ? Object.keys(ANSWERS) : ['a403', 'a409', 'a422', 'a500', 'large'];

/** Names each object after what happens to it: `update-status-a403`. */
const NAMES = KINDS.flatMap((kind) =>
  Object.keys(PARTS).flatMap((part) => answersFor(kind).map((answer) => `${kind}-${part}-${answer}`)),
);

/** Answers to what wants {@link REFUSED}, by the names of the objects. */
function refuse({ method, path, body }: KubeRequest): KubeResponse | undefined {
  if (method !== 'PATCH' || !body?.includes(REFUSED)) return undefined;
  const [name = ''] = /[a-z]+-[a-z]+-[a-z0-9]+/.exec(path) ?? [];
  const answer = ANSWERS[name.split('-')[2]];
  const { code, ...rest } = answer;
  return respondWith(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, ...rest });
}

const labels = (kind: Kind): { labels: Record<string, string> } => ({ labels: { kind } });
const LIMITS = { retries: 2, backoff: 1 } as const;

/** Counts the calls for each object, and wants what is refused. */
class Calls {
  readonly counts = new Map<string, number>();

  add(id: string, { name, patch }: { name?: string; patch: Patch }): void {
    this.count(`${id} ${name}`);
    PARTS[name!.split('-')[1]](patch);
  }

  count(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}

function createOperator(calls: Calls) {
  @Injectable()
  class Operator {
    @OnCreate(...KEX, { ...labels('create'), ...LIMITS })
    create(context: ChangeContext) {
      calls.add('create', context);
    }
    @OnUpdate(...KEX, { ...labels('update'), ...LIMITS, field: 'spec.first' })
    update(context: ChangeContext) {
      calls.add('update', context);
    }
    @OnDelete(...KEX, { ...labels('delete'), ...LIMITS })
    delete(context: ChangeContext) {
      calls.add('delete', context);
    }
    @OnResume(...KEX, { ...labels('resume'), ...LIMITS })
    resume(context: ChangeContext) {
      calls.add('resume', context);
    }
    @OnField(...KEX, { ...labels('field'), ...LIMITS, field: 'spec.first' })
    field(context: ChangeContext) {
      calls.add('field', context);
    }
    @OnEvent(...KEX, labels('event'))
    event(context: EventContext) {
      calls.add('event', context);
    }
    @Daemon(...KEX, { ...labels('daemon'), ...LIMITS })
    daemon(context: DaemonContext) {
      calls.add('daemon', context);
    }
    @Timer(...KEX, { ...labels('timer'), ...LIMITS, interval: 10 })
    timer(context: TimerContext) {
      calls.add('timer', context);
    }
    @OnCreate(...KEX, { ...labels('parent'), ...LIMITS })
    parent(context: ChangeContext) {
      calls.count(`parent ${context.name}`);
      context.subhandler('child', (inner) => calls.add('child', inner));
    }
    @OnUpdate(...KEX, { field: 'spec.later' })
    later({ name }: ChangeContext) {
      calls.count(`later ${name}`);
    }
    @OnDelete(...KEX, { id: 'drop' })
    drop({ name }: ChangeContext) {
      calls.count(`drop ${name}`);
    }
  }
  return Operator;
}

describe('What handlers want and the API server refuses', () => {
  it.each(['merge', 'apply'] as const)(
    'should fail them as often as their retries allow, and hold up neither later changes nor the deletion (%s)',
    async (mode) => {
      const calls = new Calls();
      const harness = await OperatorHarness.start({ statusSubresource: true });
      for (const name of NAMES) {
        const [kind] = name.split('-');
        const labels = { kind };
        const spec = { first: 1 };
        // An object is resumed that an earlier operator has handled.
        const handled = { [LAST_HANDLED]: JSON.stringify({ spec, metadata: { labels } }) };
        await harness.create(name, { metadata: { labels, ...(kind === 'resume' && { annotations: handled }) }, spec });
      }
      await harness.run(createOperator(calls), {
        intercept: refuse,
        networking: { errorBackoffs: [1, 2] },
        patching: { mode },
      });
      await harness.advance(600);
      for (const name of NAMES) await harness.patch(name, { spec: { first: 2 } });
      await harness.advance(600);
      for (const name of NAMES) await harness.patch(name, { spec: { later: 1 } });
      await harness.advance(600);
      const later = new Map(NAMES.map((name) => [name, calls.of(`later ${name}`)]));
      for (const name of NAMES) await harness.delete(name);
      await harness.advance(1200);

      const wrong: string[] = [];
      for (const name of NAMES) {
        const [kind] = name.split('-') as [Kind];
        const expect = (what: string, actual: unknown, expected: unknown): void => {
          if (actual !== expected) wrong.push(`${name}: ${what} ${String(actual)}, not ${String(expected)}`);
        };
        // The field handler is called for the creation, too, and so is its declaration for the first change.
        const times = kind === 'field' ? 4 : 2;
        if (kind !== 'event') expect('calls', calls.of(`${kind} ${name}`), times);
        if (kind === 'parent') expect('calls of the child', calls.of(`child ${name}`), times);
        expect('calls for the later change', later.get(name), 1);
        expect('calls for the deletion', calls.of(`drop ${name}`), 1);
        expect('left', (await harness.read(name)) !== undefined, false);
      }
      expect(wrong).toEqual([]);
    },
  );

  it.each(['create', 'update', 'resume', 'field', 'parent'] as const)(
    'should call the handlers of a deletion that begins before what a handler wants is finally refused: %s',
    async (kind) => {
      const calls = new Calls();
      const harness = await OperatorHarness.start({ statusSubresource: true });
      const answers = ['a403', 'a404', 'a429', 'a500', 'a503'];
      const names = Object.keys(PARTS).flatMap((part) => answers.map((answer) => `${kind}-${part}-${answer}`));
      const spec = { first: 1 };
      const handled = { [LAST_HANDLED]: JSON.stringify({ spec, metadata: labels(kind) }) };
      for (const name of names) {
        await harness.create(name, {
          metadata: { ...labels(kind), ...(kind === 'resume' && { annotations: handled }) },
          spec,
        });
      }
      @Injectable()
      class Operator extends createOperator(calls) {
        @OnDelete(...KEX)
        release({ name, retry }: ChangeContext) {
          calls.count(`release ${name}`);
          if (retry === 0) throw new TemporaryError('Not yet.', { delay: 5 });
        }
      }
      await harness.run(Operator, { intercept: refuse, networking: { errorBackoffs: [] } });
      if (kind === 'update') {
        await harness.advance(20);
        for (const name of names) await harness.patch(name, { spec: { first: 2 } });
      }
      // The last attempt has been made, and its changes were refused once.
      await harness.advance(2.8);
      expect(names.filter((name) => calls.of(`${kind} ${name}`) !== 2)).toEqual([]);
      for (const name of names) await harness.delete(name);
      await harness.advance(600);

      expect(names.filter((name) => calls.of(`drop ${name}`) !== 1)).toEqual([]);
      expect(names.filter((name) => calls.of(`release ${name}`) !== 2)).toEqual([]);
      const left = await Promise.all(names.map((name) => harness.read(name)));
      expect(left.filter((object) => object !== undefined)).toEqual([]);
    },
  );

  it.each(['merge', 'apply'] as const)(
    'should not let objects go before the last handler of their deletion was called as often as its retries allow (%s)',
    async (mode) => {
      const calls = new Calls();
      const harness = await OperatorHarness.start({ statusSubresource: true });
      const names = Object.keys(PARTS).flatMap((part) =>
        answersFor('delete').map((answer) => `delete-${part}-${answer}`),
      );
      for (const name of names) await harness.create(name, { spec: { first: 1 } });
      @Injectable()
      class Operator {
        @OnDelete(...KEX, LIMITS)
        delete(context: ChangeContext) {
          calls.add('delete', context);
        }
      }
      await harness.run(Operator, { intercept: refuse, networking: { errorBackoffs: [] }, patching: { mode } });
      await harness.advance(10);
      for (const name of names) await harness.delete(name);
      await harness.advance(600);

      expect(names.filter((name) => calls.of(`delete ${name}`) !== 2)).toEqual([]);
      const left = await Promise.all(names.map((name) => harness.read(name)));
      expect(left.filter((object) => object !== undefined)).toEqual([]);
    },
  );

  it('should count attempts of sub-handlers whose changes are rejected, so that each has its turn and its retries', async () => {
    const attempts: string[] = [];
    const harness = await OperatorHarness.start();
    @Injectable()
    class Operator {
      @OnCreate(...KEX, { retries: 7, backoff: 1 })
      create({ subhandler, patch }: ChangeContext) {
        patch.status.mark = REFUSED;
        subhandler('limited', ({ retry }) => void attempts.push(`limited ${retry}`), { retries: 2 });
        subhandler('waits', ({ retry }) => {
          attempts.push(`waits ${retry}`);
          if (retry === 0) throw new TemporaryError('Not yet.', { delay: 3 });
        });
      }
    }
    await harness.create('any-any-a422');
    await harness.run(Operator, { intercept: refuse });
    await harness.advance(600);
    expect(attempts.filter((each) => each.startsWith('limited'))).toEqual(['limited 0', 'limited 1']);
    expect(attempts.filter((each) => each.startsWith('waits')).slice(0, 3)).toEqual(['waits 0', 'waits 1', 'waits 2']);
  });

  it('should not call sub-handlers again that have failed for good, or before their delays, as a result is rejected', async () => {
    const failed: number[] = [];
    const delayed: number[] = [];
    const harness = await OperatorHarness.start({ statusSubresource: true });
    @Injectable()
    class Operator {
      @OnCreate(...KEX, { retries: 5, backoff: 1 })
      create({ subhandler, patch }: ChangeContext) {
        patch.status.mark = REFUSED;
        subhandler('fails', () => {
          failed.push(harness.clock.now());
          throw new PermanentError('It can never work.');
        });
        subhandler('waits', () => {
          delayed.push(harness.clock.now());
          if (delayed.length === 1) throw new TemporaryError('Not yet.', { delay: 100 });
        });
      }
    }
    let isRefused = true;
    await harness.create('any-any-a422');
    await harness.run(Operator, { intercept: (request) => (isRefused ? refuse(request) : undefined) });
    await harness.advance(2.5);
    isRefused = false;
    await harness.advance(600);
    expect(failed).toHaveLength(1);
    expect(delayed).toHaveLength(2);
    expect(delayed[1] - delayed[0]).toBeGreaterThanOrEqual(100_000);
  });
});
