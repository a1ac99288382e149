import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import {
  KopfAdmission,
  KopfOperator,
  OnCreate,
  OnStartup,
  PermanentError,
  TemporaryError,
  Validate,
  type ChangeContext,
} from 'nestjs-kopf';
import { sleep } from 'kube-common';
import { ScrapeHistory } from '../../support/telemetry/prom.query.js';
import { KEX, OperatorHarness, type OperatorOptions } from '../../support/operators/operator.harness.js';
import { makeExample, makeReview } from '../../support/webhooks/reviews.js';
import { MeteredWorld } from './metered.operator.js';

const PACKAGE = join(import.meta.dirname, '../../../libs/kopf');
const RESOURCE = { resource: 'kopfexamples.kopf.dev' };

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

const rules = load(readFileSync(join(PACKAGE, 'monitoring/alerts.yaml'), 'utf8')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
};
const alerts = rules.groups.flatMap((group) => group.rules);
const guide = readFileSync(join(PACKAGE, 'docs/metrics.md'), 'utf8');
const listed = new Set([...guide.matchAll(/^\| `(\w+)` +\| (?:counter|gauge|histogram) /gm)].map(([, name]) => name));

/** An operator that Prometheus scrapes, and whose alerts it evaluates, each 15 seconds of virtual time. */
class Monitoring {
  private readonly history = new ScrapeHistory();

  constructor(
    private readonly world: MeteredWorld,
    private readonly rule: Alert,
  ) {}

  get harness(): OperatorHarness {
    return this.world.harness;
  }

  /** Lets the time pass until the alert fires, or is over. */
  async fires(seconds: number): Promise<boolean> {
    const pending = secondsOf(this.rule.for);
    for (let passed = 0; ; passed += 15) {
      const now = this.harness.clock.now() / 1000;
      this.history.add(now, await this.world.text());
      if (this.history.fires(this.rule.expr, pending, now)) return true;
      if (passed >= seconds) return false;
      await this.harness.advance(15);
    }
  }
}

function secondsOf(duration: string): number {
  const [, count, unit] = /^(\d+)([smh])$/.exec(duration)!;
  return Number(count) * { s: 1, m: 60, h: 3600 }[unit as 's' | 'm' | 'h'];
}

/** Describes what goes wrong, for an operator with the handlers. */
interface Fault {
  handlers?(harness: OperatorHarness): new () => object;
  readonly options?: OperatorOptions;
  /** Brings the fault about. */
  begin(harness: OperatorHarness): unknown;
}

class Idle {
  @OnCreate(...KEX)
  create() {}
}

/** Handlers of creations that do what the name of their object says. */
function behaving(harness: OperatorHarness): new () => object {
  class Behaving {
    @OnCreate(...KEX)
    async create({ name }: ChangeContext) {
      if (name.startsWith('fails')) throw new PermanentError('Never.');
      if (name.startsWith('retries')) throw new TemporaryError('Not yet.', { delay: 10 });
      if (name.startsWith('hangs')) await sleep(harness.clock, 3600);
    }
  }
  return Behaving;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  KopfOperatorFailed: {
    handlers: () => {
      class Failing {
        @OnStartup()
        start() {
          throw new PermanentError('Nothing works.');
        }
      }
      return Failing;
    },
    options: { enabled: false, unready: true },
    begin: async (harness) => {
      await harness
        .get(KopfOperator)
        .start()
        .catch(() => undefined);
    },
  },
  KopfNobodyLeads: {
    options: { coordination: 'lease' },
    begin: (harness) => harness.kube.faults.reject(403, { resource: 'leases.coordination.k8s.io', times: Infinity }),
  },
  KopfCredentialsRejected: {
    begin: (harness) => {
      harness.kube.faults.reject(401, { times: Infinity });
      harness.kube.faults.damageWatches('cut');
    },
  },
  KopfWatchForbidden: {
    begin: (harness) => {
      harness.kube.faults.reject(403, { verb: ['list', 'watch'], ...RESOURCE, times: Infinity });
      harness.kube.faults.damageWatches('cut', RESOURCE);
    },
  },
  KopfWatchSilent: {
    begin: (harness) => {
      harness.kube.faults.stall('before', { verb: 'watch', ...RESOURCE, times: Infinity });
      harness.kube.faults.damageWatches('stall', RESOURCE);
    },
  },
  KopfWatchFailing: {
    begin: (harness) => {
      harness.kube.faults.reject(500, { verb: ['list', 'watch'], ...RESOURCE, times: Infinity });
      harness.kube.faults.damageWatches('cut', RESOURCE);
    },
  },
  KopfHandlerFailed: { handlers: behaving, begin: (harness) => harness.create('fails') },
  KopfHandlerRetrying: { handlers: behaving, begin: (harness) => harness.create('retries') },
  KopfHandlerOverdue: {
    handlers: behaving,
    options: { queueing: { workerLimit: 1 } },
    begin: async (harness) => {
      await harness.create('retries');
      await harness.advance(1);
      await harness.create('hangs');
    },
  },
  KopfQueueBacklog: {
    handlers: behaving,
    options: { queueing: { workerLimit: 1 } },
    begin: async (harness) => {
      for (let count = 0; count < 110; count++) await harness.create(`hangs-${count}`);
    },
  },
  KopfWorkerStuck: { handlers: behaving, begin: (harness) => harness.create('hangs') },
  KopfObjectsThrottled: {
    handlers: () => {
      class Filtering {
        @OnCreate(...KEX, {
          when: () => {
            throw new Error('The filter is wrong.');
          },
        })
        create() {}
      }
      return Filtering;
    },
    begin: (harness) => harness.create('a'),
  },
  KopfApiServerErrors: {
    begin: async (harness) => {
      harness.kube.faults.reject(503, { method: 'PATCH', times: Infinity });
      for (let count = 0; count < 20; count++) await harness.create(`object-${count}`);
    },
  },
  KopfPatchesFailing: {
    options: { networking: { errorBackoffs: [1] } },
    begin: async (harness) => {
      harness.kube.faults.reject(500, { method: 'PATCH', times: Infinity });
      await harness.create('a');
    },
  },
  KopfWebhookErrors: {
    handlers: () => {
      class Checking {
        @Validate(...KEX)
        check() {}
      }
      return Checking;
    },
    begin: async (harness) => {
      await harness.clock.runUntil(harness.get(KopfOperator).stop());
      const review = harness.get(KopfAdmission).review(makeReview(makeExample({})), { headers: {} });
      await expect(review).rejects.toMatchObject({ status: 503 });
    },
  },
  KopfWebhookTimeouts: {
    handlers: (harness) => {
      class Hanging {
        @Validate(...KEX)
        async check() {
          await sleep(harness.clock, 3600);
        }
      }
      return Hanging;
    },
    begin: (harness) => {
      const review = harness.get(KopfAdmission).review(makeReview(makeExample({})), { headers: {}, timeout: 10 });
      return harness.clock.runUntil(review);
    },
  },
  KopfEventLoopBlocked: { begin: (harness) => harness.clock.block(5000) },
};

describe('The rules of alerts', () => {
  it('should be complete, and each have a fault here, and a section in the runbooks with its expression', () => {
    const runbooks = readFileSync(join(PACKAGE, 'docs/runbooks.md'), 'utf8');
    expect(alerts.length).toBeGreaterThanOrEqual(8);
    expect(Object.keys(FAULTS)).toEqual(alerts.map(({ alert }) => alert));
    for (const { alert, expr, labels, annotations } of alerts) {
      expect(labels.severity, alert).toMatch(/^(warning|critical)$/);
      expect(annotations.summary, alert).toMatch(/\.$/);
      const [page, anchor] = annotations.runbook.split('#');
      expect(existsSync(join(PACKAGE, page)), alert).toBe(true);
      expect(anchor).toBe(alert.toLowerCase());
      const [, section] = runbooks.split(new RegExp(`^## ${alert}$`, 'm'));
      expect(section.split(/^## /m)[0], alert).toContain(`\`\`\`promql\n${expr}\n\`\`\``);
      expect(section, alert).toContain(annotations.description);
    }
  });

  it('should ask for metrics that there are, and for labels that these have', () => {
    const dashboard = readFileSync(join(PACKAGE, 'monitoring/dashboard.json'), 'utf8');
    const panels = JSON.parse(dashboard).panels as { targets?: { expr: string }[] }[];
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(15);
    for (const expression of [...expressions, ...alerts.map(({ expr }) => expr)]) {
      const names = [
        ...expression.matchAll(/\b(kopf|controller_runtime|workqueue|rest_client|leader_election)_\w+/g),
      ].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
      expect(names.length, expression).toBeGreaterThan(0);
      for (const name of names) expect(listed.has(name), `${name} of ${expression}`).toBe(true);
    }
  });

  it.each(alerts.map((rule) => [rule.alert, rule] as const))('should tell of the fault: %s', async (alert, rule) => {
    const { handlers = () => Idle, options, begin } = FAULTS[alert];
    const harness = await OperatorHarness.start();
    const world = await MeteredWorld.start([handlers(harness)], options, {}, harness);
    const monitoring = new Monitoring(world, rule);
    expect(await monitoring.fires(options?.enabled === false ? 0 : secondsOf(rule.for) + 60)).toBe(false);
    await begin(harness);
    expect(await monitoring.fires(3000)).toBe(true);
  });

  it('should be quiet while everything is in order', async () => {
    const world = await MeteredWorld.start();
    const history = new ScrapeHistory();
    for (let count = 0; count < 10; count++) {
      await world.harness.create(`object-${count}`);
      for (let scrape = 0; scrape < 10; scrape++) {
        await world.harness.advance(15);
        history.add(world.harness.clock.now() / 1000, await world.text());
      }
    }
    const now = world.harness.clock.now() / 1000;
    const firing = alerts.filter(({ expr }) => history.times.some((time) => history.fires(expr, 0, time)));
    expect(history.times.at(-1)).toBe(now);
    expect(firing.map(({ alert }) => alert)).toEqual([]);
  });
});
