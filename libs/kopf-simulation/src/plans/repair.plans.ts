import type { Random } from 'kube-common';
import type { RunRecord } from '../run/run.record.js';
import type { PatchRejection, RejectedPatchFault, SimulationFault } from '../simulation.plan.js';

/** The error responses of rejections that end. The operator has to store the part afterwards. */
const REJECTIONS: readonly PatchRejection[] = [
  403,
  404,
  409,
  413,
  422,
  429,
  500,
  503,
  'schema',
  'etcd',
  'policy',
  'webhook',
];
/** The error responses of rejections that last until the end of the run: some blame the patch, and one does not. */
const ENDLESS: readonly PatchRejection[] = ['policy', 'etcd', 403];
/** The duration of a rejection that nothing can be stored after. No operator can keep what must hold at the end by then. */
const UNTIL_THE_END = { forever: true, excuses: 'eventually' } as const;
/** Seconds by which clocks are wrong. This is more than any Lease, login, or pause lasts. */
const SKEWS = [-7200, 7200];
const LEASES = 'leases.coordination.k8s.io';

/** A part of a patch that the framework has sent in a run without faults. */
type PatchSite = Pick<RejectedPatchFault, 'resource' | 'namespace' | 'name' | 'part' | 'fromPatch'>;

/**
 * Rejects each part of each patch twice, with another error response each time, and each part of the first object of each resource until the end of
 * the run.
 */
export function* rejectionFaults(clean: RunRecord): Generator<SimulationFault> {
  const known = new Set<string>();
  let turn = 0;
  for (const site of patchSites(clean)) {
    yield { kind: 'rejected-patch', ...site, by: REJECTIONS[turn++ % REJECTIONS.length]!, times: 2 };
    const kind = `${site.resource} ${site.part}`;
    if (known.has(kind)) continue;
    known.add(kind);
    const { fromPatch: _, ...every } = site;
    yield { kind: 'rejected-patch', ...every, by: ENDLESS[known.size % ENDLESS.length]!, ...UNTIL_THE_END };
  }
}

/**
 * Answers requests with valid credentials by 401 for a few seconds with each step of the user: all requests, and those for Leases, if there are any.
 */
export function* unauthorizedFaults(clean: RunRecord): Generator<SimulationFault> {
  for (const afterChange of stepsOf(clean)) yield { kind: 'unauthorized', afterChange };
  if (clean.requests.some(({ resource }) => resource === LEASES)) {
    for (const afterChange of stepsOf(clean)) yield { kind: 'unauthorized', afterChange, resource: LEASES, seconds: 5 };
  }
}

/** Sets clocks ahead or behind by hours, for the whole run and until a step of the user. */
export function* skewFaults(clean: RunRecord): Generator<SimulationFault> {
  for (const seconds of SKEWS) yield { kind: 'clock-skew', seconds, afterChange: 0 };
  for (const untilChange of stepsOf(clean)) {
    for (const seconds of SKEWS) yield { kind: 'clock-skew', seconds, afterChange: 0, untilChange };
  }
}

/** Draws one of these faults; `undefined` if the run has nothing that it could hit. */
export function drawRepairFault(random: Random, clean: RunRecord, replicas: number): SimulationFault | undefined {
  const changes = clean.changes.length;
  const kind = pick(random, [
    'rejected-patch',
    'rejected-patch',
    'rejected-patch',
    'unauthorized',
    'clock-skew',
  ] as const);
  switch (kind) {
    case 'rejected-patch':
      return drawRejection(random, patchSites(clean));
    case 'unauthorized': {
      const resources = [undefined, undefined, ...new Set(clean.reads.map(({ resource }) => resource))];
      const resource = pick(random, resources);
      const times = draw(random, 2) === 0 ? { times: 1 + draw(random, 5) } : { seconds: pick(random, [1, 3, 5, 30]) };
      return { kind, afterChange: 1 + draw(random, changes), ...(resource !== undefined && { resource }), ...times };
    }
    case 'clock-skew': {
      const afterChange = draw(random, 2) === 0 ? 0 : draw(random, changes);
      const untilChange = afterChange + 1 + draw(random, changes);
      const replica = replicas > 1 ? { replica: 1 + draw(random, replicas) } : {};
      const seconds = pick(random, [...SKEWS, -18_000, 18_000]);
      return { kind, seconds, afterChange, ...(draw(random, 2) === 0 && { untilChange }), ...replica };
    }
  }
}

function drawRejection(random: Random, sites: readonly PatchSite[]): SimulationFault | undefined {
  const site = sites[draw(random, sites.length)];
  if (!site) return undefined;
  const { fromPatch, namespace, name, ...place } = site;
  const isOfOne = name !== undefined && draw(random, 3) > 0;
  const object = isOfOne ? { ...(namespace !== undefined && { namespace }), name, fromPatch } : {};
  const duration = draw(random, 4);
  if (duration === 0)
    return { kind: 'rejected-patch', ...place, ...object, by: pick(random, ENDLESS), ...UNTIL_THE_END };
  const length = duration === 1 ? { seconds: pick(random, [1, 10, 90]) } : { times: 1 + draw(random, 4) };
  return { kind: 'rejected-patch', ...place, ...object, by: pick(random, REJECTIONS), ...length };
}

/** The parts of all patches of the framework, each with its number among the patches of its object. */
function patchSites({ requests }: RunRecord): readonly PatchSite[] {
  const counts = new Map<string, number>();
  return requests.flatMap(({ patch }) => {
    if (!patch) return [];
    const { resource, namespace, name } = patch;
    return [...patch.parts].map((part): PatchSite => {
      const key = JSON.stringify([resource, namespace, name, part]);
      const fromPatch = (counts.get(key) ?? 0) + 1;
      counts.set(key, fromPatch);
      const object = patch.isGenerated ? {} : { ...(namespace !== undefined && { namespace }), name };
      return { resource, ...object, part, ...(fromPatch > 1 && { fromPatch }) };
    });
  });
}

/** The first change of each step of the user. */
function stepsOf({ changes }: RunRecord): readonly number[] {
  const first = new Map<number, number>();
  for (const { number, rests, isOperator, isTransient } of changes) {
    if (!isOperator && !isTransient && !first.has(rests)) first.set(rests, number);
  }
  return [...first.values()];
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[draw(random, values.length)]!;
}

function draw(random: Random, count: number): number {
  return Math.floor(random.next() * count);
}
