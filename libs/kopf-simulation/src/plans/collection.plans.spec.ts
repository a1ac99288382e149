import type { KubeObject } from 'nestjs-kopf';
import type { RunRecord, TracedChange } from '../run/run.record.js';
import { exhaustivePlans } from './plan.exhaustive.js';
import { randomPlans } from './plan.random.js';

const OWNER = { resource: 'configmaps', name: 'owner' };

function created(number: number, name: string, given: Partial<TracedChange>, owner?: string): TracedChange {
  const ownerReferences = owner === undefined ? undefined : [{ uid: owner }];
  const after = { kind: 'ConfigMap', metadata: { name, uid: `uid-${name}`, ownerReferences } } as unknown as KubeObject;
  const own = { isOperator: false, isUser: false, isTransient: false, writes: 0, rests: 1 };
  return { number, resource: 'configmaps', object: `ConfigMap ${name}`, type: 'ADDED', after, ...own, ...given };
}

/** A run in which the user creates an object, for which the operator creates another one. @param owner the owner of the latter */
function recordOf(owner?: string): RunRecord {
  const changes = [created(1, 'owner', { isUser: true }), created(2, 'child', { isOperator: true }, owner)];
  const watched = new Set(['configmaps']);
  return {
    changes,
    requests: [],
    reads: [],
    writes: 1,
    reviews: 0,
    watched,
    hasBackground: false,
  } as unknown as RunRecord;
}

const isLate = ({ faults }: { readonly faults: readonly { readonly kind: string }[] }): boolean =>
  faults.some(({ kind }) => kind === 'late-collection');

describe('Plans with a slow garbage collector', () => {
  it('should be made for the workload, and for owners that are recreated when their dependants exist', () => {
    const late = { kind: 'late-collection', afterChange: 0 };
    const plans = [...exhaustivePlans(recordOf('uid-owner'), 1)].filter(isLate);
    expect(plans.map(({ faults }) => faults)).toEqual([[late], [late, { kind: 'recreate', ...OWNER, afterChange: 2 }]]);
  });

  it('should not recreate namespaces, whose contents would not be restored', () => {
    const namespace = created(1, 'owner', { isUser: true, resource: 'namespaces' });
    const child = created(2, 'child', { isOperator: true }, 'uid-owner');
    const record = { ...recordOf(), changes: [namespace, child], watched: new Set(['namespaces']) };
    const kinds = [...exhaustivePlans(record, 1)].flatMap(({ faults }) => faults.map(({ kind }) => kind));
    expect(kinds).toContain('late-collection');
    expect(kinds).not.toContain('recreate');
  });

  it('should not recreate objects whose dependants have other owners', () => {
    expect([...exhaustivePlans(recordOf('uid-other'), 1)].filter(isLate)).toHaveLength(1);
  });

  it('should be some of the random ones', () => {
    const late = [...randomPlans(recordOf('uid-owner'), 300, 1)].filter(isLate);
    expect(late.length).toBeGreaterThan(70);
    expect(late.length).toBeLessThan(130);
  });

  it('should not be made where nothing has an owner', () => {
    expect([...exhaustivePlans(recordOf(), 1)].filter(isLate)).toEqual([]);
    expect([...randomPlans(recordOf(), 300, 1)].filter(isLate)).toEqual([]);
  });
});
