import type { TestingModule } from '@nestjs/testing';
import type { Clock } from '../../common/clock.js';
import type { KubeObject } from '../../objects/kube-object.js';
import type { Resource } from '../../resources/resources.js';
import type { SimulatedState, SimulationOptions } from '../simulation.options.js';
import { describeMiss, type SimulationFault } from '../simulation.plan.js';
import type { WorldChange, WorldServer } from '../run/world.server.js';
import { checkBackground } from './background.oracle.js';
import type { Exemptions } from './exemptions.js';
import { foldedName } from './final.state.js';
import { HandlingOracle, type ChangedObject } from './handling.oracle.js';
import { checkIndices } from './index.oracle.js';
import {
  checkRealResources,
  checkRemains,
  checkWatches,
  countRealResources,
  type HeldResources,
} from './leak.oracle.js';
import { PaceOracle } from './pace.oracle.js';
import { ProgressOracle } from './progress.oracle.js';
import { PropertyOracle } from './property.oracle.js';
import { type ObjectLister, RestingOperator } from './resting.operator.js';
import { checkStoredState } from './stored-state.oracle.js';
import type { Violation } from './violation.js';

/** The checks that an operator has failed which does not come to rest. */
const UNREST: ReadonlySet<string> = new Set(['convergence', 'error', 'hot-loop']);

/** All checks of one run: those that follow it, and those that look at its end. */
export class RunOracles {
  readonly handling: HandlingOracle;
  readonly progress = new ProgressOracle();
  readonly pace: PaceOracle;
  readonly properties: PropertyOracle;
  private readonly found: Violation[] = [];
  private readonly realResources = countRealResources();

  constructor(
    private readonly options: SimulationOptions,
    state: SimulatedState,
    clock: Clock,
    /** All changes of objects so far, in their order. */
    changes: readonly ChangedObject[],
  ) {
    this.handling = new HandlingOracle(changes);
    this.pace = new PaceOracle(clock, options.writesPerMinute);
    this.properties = new PropertyOracle(options, state);
  }

  /** All that was found, without the checks that are switched off. */
  get violations(): readonly Violation[] {
    const { properties, handling, progress, pace, options } = this;
    const all = [...this.found, ...properties.violations, ...handling.violations, ...progress.violations];
    return [...all, ...pace.violations].filter(({ check }) => options.oracles?.[check as 'overlap'] !== false);
  }

  /** Tells whether the operator has come to rest, as far as is known. */
  get isAtRest(): boolean {
    return !this.violations.some(({ check }) => UNREST.has(check));
  }

  /** Notes that the operator does not come to rest, unless it is known to be in a loop. */
  onUnrest(): void {
    const { mostFailing, lastCall } = this.handling;
    const reason = mostFailing ? `: ${mostFailing}` : lastCall ? `, and has called ${lastCall} last` : '';
    if (!this.pace.isLooping)
      this.add({ check: 'convergence', message: `the operator does not come to rest${reason}` });
  }

  /** Notes that faults of a plan have not come to pass, which must: because they have shown something before, or were asked for on a cluster. */
  onMissed(faults: readonly SimulationFault[]): void {
    for (const fault of faults) this.add({ check: 'outdated', message: describeMiss(fault) });
  }

  add(...violations: readonly Violation[]): void {
    this.found.push(...violations);
  }

  /** Follows a change of an object. @returns properties of the user that do not hold any more */
  onChange(change: WorldChange, isOperator: boolean): readonly Violation[] {
    if (isOperator) this.progress.onChange(change);
    return this.properties.onStep();
  }

  /** Looks at the objects when nothing happens any more. */
  checkObjects(objects: readonly KubeObject[], exemptions: Exemptions): void {
    for (const object of objects) {
      if (exemptions.fromRelease(object)) continue;
      const { deletionTimestamp, finalizers } = object.metadata;
      if (!deletionTimestamp || object.kind === 'Namespace') continue;
      const message = `${foldedName(object)} is not deleted, as of its finalizers ${finalizers?.join(', ')}`;
      this.add({ check: 'stuck-deletion', message });
    }
  }

  /** Looks at an operator that is at rest: at its daemons, its indices, its watches, and what it has stored. */
  async checkRest(
    module: TestingModule,
    held: HeldResources,
    { client }: WorldServer,
    exemptions: Exemptions,
  ): Promise<void> {
    this.add(...checkWatches(held));
    const list: ObjectLister = (resource, namespace) => listObjects(client, resource, namespace);
    const operator = RestingOperator.of(module, list, (body) => exemptions.fromState(body));
    if (!operator) return;
    this.add(...checkStoredState(operator), ...checkBackground(operator), ...(await checkIndices(operator)));
  }

  /** Looks at what is left of an operator that has stopped. */
  checkRemains(held: HeldResources): void {
    this.add(...checkRemains(held));
  }

  /** Looks at what is left when everything has stopped. */
  checkProcess(): void {
    this.add(...checkRealResources(this.realResources));
  }
}

function listObjects(client: WorldServer['client'], resource: Resource, namespace?: string): readonly KubeObject[] {
  const { group, version, kind } = resource;
  const served = client.resourceOf(group ? `${group}/${version}` : version, kind);
  const objects = served ? client.list(served) : [];
  return objects.filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
}
