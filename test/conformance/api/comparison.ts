// Runs cases and random requests on a real control plane and on embedded-kube, and compares the answers.
import { EmbeddedKube } from 'embedded-kube';
import { parseControllers } from '../../../libs/embedded-kube/src/controllers/builtin.controllers.js';
import { type ControlPlane, startControlPlane } from '../../support/clusters/control-plane.js';
import { ApiSide } from './api.side.js';
import { type ConformanceCase, readCases } from './case.reader.js';
import { runCase } from './case.runner.js';
import { type ComparisonResult, Tally } from './tally.js';
import { compareHistories, comparePrograms } from './random/program.comparison.js';

/** Chooses what is compared. */
export interface ComparisonOptions {
  /** Only cases whose names contain this text. */
  readonly only?: string;
  /** Every so manieth case is run. @default 1 */
  readonly every?: number;
  /** The number of random requests. @default 0 */
  readonly requests?: number;
  /** The number of requests of random histories of objects, of which the owners of fields are compared. @default 0 */
  readonly histories?: number;
  /** Decides the random requests. @default 1 */
  readonly seed?: number;
}

/** The controllers that run on both servers where a case does not ask for all. */
const CORE_CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
];
const EMBEDDED_CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'persistentvolume-protection-controller',
  'serviceaccount-controller',
];
const WORLDS = {
  core: {
    real: { controllers: CORE_CONTROLLERS },
    embedded: { authorization: 'rbac', builtinControllers: parseControllers(EMBEDDED_CONTROLLERS.join(',')) },
  },
  full: { real: { controllers: true, node: true }, embedded: { authorization: 'rbac', pods: true } },
} as const;

/** Two servers that run the same controllers. */
class Pair {
  private constructor(
    readonly sides: readonly [ApiSide, ApiSide],
    private readonly controlPlane: ControlPlane,
    private readonly kube: EmbeddedKube,
  ) {}

  static async start(world: keyof typeof WORLDS): Promise<Pair> {
    const { real, embedded } = WORLDS[world];
    const controlPlane = await startControlPlane(real);
    const kube = await EmbeddedKube.start(embedded);
    const sides = [
      new ApiSide('real', controlPlane.url, controlPlane.token),
      new ApiSide('embedded', kube.url, kube.token),
    ] as const;
    return new Pair(sides, controlPlane, kube);
  }

  async stop(): Promise<void> {
    for (const side of this.sides) side.close();
    await this.kube.stop();
    await this.controlPlane.stop();
  }
}

/** Compares all answers of the directed cases and of the random requests. */
export async function compareServers(options: ComparisonOptions): Promise<ComparisonResult> {
  const { only = '', every = 1, requests = 0, histories = 0, seed = 1 } = options;
  const cases = readCases().filter(({ id }, index) => id.includes(only) && index % every === 0);
  const tally = new Tally();
  for (const world of ['core', 'full'] as const) {
    const chosen = cases.filter((each) => each.world === world);
    const random = world === 'core' ? requests : 0;
    const written = world === 'core' ? histories : 0;
    if (chosen.length + random + written === 0) continue;
    const pair = await Pair.start(world);
    try {
      for (const [index, each] of chosen.entries()) await compareCase(each, `c${index}`, pair.sides, tally);
      if (random > 0) await comparePrograms({ seed, requests: random }, pair.sides, tally);
      if (written > 0) await compareHistories({ seed, requests: written }, pair.sides, tally);
    } finally {
      await pair.stop();
    }
  }
  return tally.result();
}

async function compareCase(
  each: ConformanceCase,
  id: string,
  sides: readonly [ApiSide, ApiSide],
  tally: Tally,
): Promise<void> {
  const runs = await Promise.allSettled(sides.map((side) => runCase(each, side, id)));
  const [real, embedded] = runs.map((run) => {
    if (run.status === 'rejected') throw new Error(`${each.id}: ${String(run.reason)}`, { cause: run.reason });
    return run.value;
  });
  const watches = each.steps.filter((step) => step.form === 'watch');
  tally.addCase(
    real.flatMap((answer, index) => {
      const step = each.steps[index] ?? watches[index - each.steps.length];
      return answer ? [{ id: each.id, step, real: answer, embedded: embedded[index]! }] : [];
    }),
  );
}
