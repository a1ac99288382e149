import { Inject, Injectable, Module } from '@nestjs/common';
import {
  adopt,
  KopfModule,
  KubeClient,
  OnCreate,
  OnUpdate,
  Validate,
  type ChangeContext,
  type KubeObject,
} from 'nestjs-kopf';
import { WebhookServer } from 'nestjs-kopf/webhooks';
import type { SimulatedModule, SimulatedUser, SimulationFault, SimulationPlan } from 'nestjs-kopf-simulation';
import { claim, CLAIMS, secret } from './regressions/regression.case.js';

type FaultKind = SimulationFault['kind'];

/** A fault of each kind: the compiler finds one that is missing. */
const FAULTS: { readonly [Kind in FaultKind]: Extract<SimulationFault, { readonly kind: Kind }> } = {
  crash: { kind: 'crash', afterWrite: 3 },
  freeze: { kind: 'freeze', afterWrite: 4, seconds: 60 },
  'lost-answer': { kind: 'lost-answer', ofWrite: 5 },
  conflict: { kind: 'conflict', beforeAttempt: 7 },
  error: { kind: 'error', ofAttempt: 5, status: 500 },
  outage: { kind: 'outage', afterChange: 5, seconds: 30 },
  'webhook-down': { kind: 'webhook-down', fromReview: 3, seconds: 5 },
  'late-collection': { kind: 'late-collection', afterChange: 0 },
  'clock-jump': { kind: 'clock-jump', afterChange: 4, seconds: -3600 },
  'clock-skew': { kind: 'clock-skew', seconds: 7200, afterChange: 0, untilChange: 6 },
  'rejected-patch': { kind: 'rejected-patch', resource: 'configmaps', part: 'annotations', by: 'policy', times: 2 },
  unauthorized: { kind: 'unauthorized', afterChange: 3, seconds: 2 },
  stale: { kind: 'stale', resource: 'configmaps', fromChange: 5, untilChange: 7 },
  'missed-events': { kind: 'missed-events', resource: 'configmaps', fromChange: 8, untilChange: 9 },
  recreate: { kind: 'recreate', resource: 'configmaps', namespace: 'default', name: 'a', afterChange: 4 },
  drift: { kind: 'drift', resource: 'secrets', namespace: 'default', name: 'a-part', afterChange: 4 },
};

/** The kinds of faults, in the order of the alphabet. */
export const FAULT_KINDS = (Object.keys(FAULTS) as FaultKind[]).sort();

/** The faults of each plan: those of one plan do not keep each other from coming to pass. */
const GROUPS: readonly (readonly FaultKind[])[] = [
  ['stale', 'crash', 'conflict', 'error', 'missed-events'],
  ['freeze', 'clock-jump', 'outage', 'drift'],
  ['webhook-down', 'recreate', 'late-collection', 'lost-answer'],
  ['clock-skew', 'rejected-patch', 'unauthorized'],
];

/** Plans with each kind of fault, and with delays, which are drawn. */
export const replayPlans = (seed: number): readonly SimulationPlan[] =>
  GROUPS.map((kinds) => ({ seed, delays: true, faults: kinds.map((kind) => FAULTS[kind]) }));

/** Makes an operator that stores a value in each object, makes a part of it, and is asked by the API server about changes. */
export function storingModule(value: () => unknown): SimulatedModule {
  @Injectable()
  class StoringOperator {
    constructor(@Inject(KubeClient) private readonly client: KubeClient) {}

    @OnCreate('configmaps.v1', CLAIMS)
    @OnUpdate('configmaps.v1', { ...CLAIMS, field: 'data' })
    async store({ name, body, patch }: ChangeContext) {
      const { data } = body as unknown as typeof claim;
      await this.client.apply(adopt(secret(`${name}-part`, data)) as KubeObject, {
        fieldManager: 'parts',
        force: true,
      });
      patch.metadata.annotations = { value: String(value()) };
    }

    @Validate('configmaps.v1', CLAIMS)
    check() {}
  }

  const admission = { managed: 'replays.example.com', server: new WebhookServer() };
  @Module({ imports: [KopfModule.forRoot({ admission })], providers: [StoringOperator] })
  class StoringModule {}
  return StoringModule;
}

/** An object is created, changed, and deleted. */
export async function replayWorkload(kube: SimulatedUser): Promise<void> {
  await kube.apply(claim);
  await kube.settled();
  await kube.patch(claim, { data: { size: '2' } });
  await kube.settled();
  await kube.delete(claim);
}
