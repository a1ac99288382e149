import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Get, type Type } from '@nestjs/common';
import { OnEvent, OnLogin, OnStartup, PermanentError, TemporaryError } from 'nestjs-kopf';
import { KopfHealthModule } from 'nestjs-kopf/health';

import { eventually } from '../../support/time/eventually.js';
import { startWithDisks } from '../../support/operators/disks.js';
import type { OperatorHarness } from '../../support/operators/operator.harness.js';
import { ServedOperator, type ServedOptions } from '../../support/operators/served.operator.js';

const GUIDE = join(import.meta.dirname, '../../../libs/kopf/docs/lifecycle.md');
const DISKS = 'disks.example.com';

@Controller('items')
class ItemsController {
  @Get()
  list() {
    return ['bolts'];
  }
}

class Watching {
  @OnEvent(DISKS)
  note() {}
}

/** One row of the guide's table. */
interface Row {
  readonly missing: string;
  readonly live: number;
  readonly ready: number;
  readonly state: string;
  readonly reason: string;
  readonly logged: string;
}

/** Describes the cluster and the application, and how both change. */
interface Situation {
  readonly handlers?: Type;
  readonly options?: ServedOptions['options'];
  /** Takes away what is missing, before the application starts. */
  before?(harness: OperatorHarness): unknown;
  /** Takes away what is missing, when the operator works. */
  after?(harness: OperatorHarness, served: ServedOperator): unknown;
  /** Gives back what is missing; absent if it cannot be given back. */
  heal?(harness: OperatorHarness, served: ServedOperator): unknown;
}

const SITUATIONS: Readonly<Record<string, () => Situation>> = {
  'Any kubeconfig or service account': () => ({
    before: () => {
      vi.stubEnv('KUBECONFIG', '');
      vi.stubEnv('HOME', join(tmpdir(), 'nobody-lives-here'));
    },
    options: { credentials: undefined },
  }),
  'The kubeconfig that `KUBECONFIG` names': () => ({
    before: () => vi.stubEnv('KUBECONFIG', '/nowhere/config'),
    options: { credentials: undefined },
  }),
  'Credentials that the API server accepts (401)': () => ({
    before: ({ kube }) => kube.faults.reject(401, { times: Infinity }),
    heal: ({ kube }) => kube.faults.clear(),
  }),
  'An API server that answers': () => ({
    before: ({ kube }) => kube.faults.goDown(),
    heal: ({ kube }) => kube.faults.comeBack(),
  }),
  'An API server that works (5xx)': () => ({
    before: ({ kube }) => kube.faults.reject(503, { times: Infinity }),
    heal: ({ kube }) => kube.faults.clear(),
  }),
  'Every permission (403)': () => ({
    before: ({ kube }) => kube.faults.reject(403, { times: Infinity }),
    heal: ({ kube }) => kube.faults.clear(),
  }),
  'The permission to watch a resource (403)': () => ({
    before: ({ kube }) => kube.faults.reject(403, { verb: ['list', 'watch'], resource: DISKS, times: Infinity }),
    heal: ({ kube }) => kube.faults.clear(),
  }),
  'The API server, after the operator has started': () => ({
    after: ({ kube }) => kube.faults.goDown(),
    heal: ({ kube }) => kube.faults.comeBack(),
  }),
  'A startup handler that fails for good': () => {
    let isLicensed = false;
    class Warehouse extends Watching {
      @OnStartup()
      connect() {
        if (!isLicensed) throw new PermanentError('There is no licence.');
      }
    }
    return { handlers: Warehouse, heal: () => (isLicensed = true) };
  },
  'A startup handler that waits for its retry': () => {
    let isOpen = false;
    class Warehouse extends Watching {
      @OnStartup()
      connect() {
        if (!isOpen) throw new TemporaryError('Not yet.', { delay: 60 });
      }
    }
    return { handlers: Warehouse, heal: () => (isOpen = true) };
  },
  'A startup handler that returns': () => {
    let open: () => void = () => undefined;
    class Warehouse extends Watching {
      @OnStartup()
      connect() {
        return new Promise<void>((resolve) => (open = resolve));
      }
    }
    return { handlers: Warehouse, heal: () => open() };
  },
  'A login handler that fails for good': () => {
    let login: () => object = () => {
      throw new PermanentError('There is no token.');
    };
    class Warehouse extends Watching {
      @OnLogin()
      login() {
        return login() as never;
      }
    }
    const heal = ({ kube }: OperatorHarness): unknown =>
      (login = () => ({ server: 'http://embedded', transport: kube.transport() }));
    return { handlers: Warehouse, heal };
  },
  'A login handler that waits for its retry': () => {
    let login: () => object = () => {
      throw new TemporaryError('Not yet.', { delay: 60 });
    };
    class Warehouse extends Watching {
      @OnLogin()
      login() {
        return login() as never;
      }
    }
    const heal = ({ kube }: OperatorHarness): unknown =>
      (login = () => ({ server: 'http://embedded', transport: kube.transport() }));
    return { handlers: Warehouse, heal };
  },
  'The operator, stopped by hand': () => ({
    after: ({ clock }, { operator }) => clock.runUntil(operator.stop()),
    heal: ({ clock }, { operator }) => clock.runUntil(operator.start()),
  }),
};

describe('When the cluster is not there', () => {
  const rows = readRows();

  it('should be told by the guide for each situation that is tested, and the other way round', () => {
    expect(rows.map(({ missing }) => missing)).toEqual(Object.keys(SITUATIONS));
  });

  afterEach(() => vi.unstubAllEnvs());

  it.each(rows.map((row) => [row.missing, row] as const))(
    'should happen as the guide says, and be over as soon as it is there again: %s',
    async (missing, row) => {
      const situation = SITUATIONS[missing]();
      const harness = await startWithDisks();
      await situation.before?.(harness);
      const served = await serve(harness, situation);
      if (situation.after) {
        await served.ready();
        await situation.after(harness, served);
      }
      // Files are read in real time.
      await eventually(row.state, async () => {
        if (served.operator.state === row.state) return true;
        // Credentials are refused for some seconds of virtual time before they count as wrong.
        await harness.advance(0.1);
        return false;
      });
      await harness.advance(0.5);
      const ready = await served.get('/readyz');
      const live = await served.get('/healthz');
      expect((await served.get('/items')).body).toEqual(['bolts']);
      expect([live.status, ready.status, served.operator.state]).toEqual([row.live, row.ready, row.state]);
      expectReason(row, { ...ready.body.info, ...ready.body.error, ...ready.body.details }.kopf);
      expectLine(row, harness);
      if (!situation.heal) return;
      await situation.heal(harness, served);
      await harness.advance(180);
      await served.ready();
      await harness.advance(60);
      expect(served.operator.state).toBe('running');
      expect(await served.get('/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    },
  );

  async function serve(harness: OperatorHarness, { handlers = Watching, options }: Situation): Promise<ServedOperator> {
    return ServedOperator.start(harness, {
      platform: 'Express',
      handlers: [handlers],
      controllers: [ItemsController],
      imports: [KopfHealthModule.forRoot({ controller: true })],
      options,
    });
  }
});

/** The rows of the first table of the guide. */
function readRows(): readonly Row[] {
  const [, table] = /### What is missing, and what happens\n([^]*?)\n### /.exec(readFileSync(GUIDE, 'utf8'))!;
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const [missing, live, ready, state, reason, logged] = line
      .slice(1)
      .split('|')
      .map((cell) => cell.trim());
    return { missing, live: Number(live), ready: Number(ready), state: state.replaceAll('`', ''), reason, logged };
  });
}

/** Finds what stands in backquotes, in which dots stand for anything. */
function patternOf(cell: string): RegExp {
  const [, text] = /`(.*)`/.exec(cell)!;
  const escaped = text.split('…').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(escaped.join('.*'));
}

function expectReason({ reason }: Row, report: any): void {
  if (reason === 'none') return;
  if (reason.startsWith('part `watchers`')) {
    const pattern = patternOf(reason.replace('part `watchers`', ''));
    expect(report.watchers).toMatchObject({ status: 'degraded', impaired: [expect.stringMatching(pattern)] });
  } else {
    expect(report.operator).toMatchObject({ status: 'down', message: expect.stringMatching(patternOf(reason)) });
  }
}

function expectLine({ logged }: Row, { logger }: OperatorHarness): void {
  if (logged === 'nothing') return expect(logger.messages('warn', 'error')).toEqual([]);
  const [level] = logged.split(':');
  const lines = logger.messages(level as 'warn');
  const pattern = patternOf(logged);
  expect(
    lines.filter((line) => pattern.test(line)),
    lines.join('\n'),
  ).not.toEqual([]);
}
