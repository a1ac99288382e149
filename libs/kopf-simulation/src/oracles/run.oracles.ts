import type { TestingModule } from '@nestjs/testing';
import type { Clock } from 'kube-common';
import type { KubeObject, Resource } from 'nestjs-kopf';
import type { SimulatedState, SimulationOptions } from '../simulation.options.js';
import { describeMiss, type SimulationFault } from '../simulation.plan.js';
import type { WorldChange, WorldServer } from '../world/world.server.js';
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
import { WriteStreak } from './write.streak.js';
import { isTransient } from '../world/world.objects.js';

/** The checks that fail when an operator does not come to rest. */
const UNREST: ReadonlySet<string> = new Set(['convergence', 'error', 'hot-loop', 'budget']);

/** All checks of one run: those of each event, and those of its end. */
export class RunOracles {
  readonly handling: HandlingOracle;
  readonly progress = new ProgressOracle();
  readonly pace: PaceOracle;
  readonly writes = new WriteStreak();
  readonly properties: PropertyOracle;
  private readonly found: Violation[] = [];
  private readonly realResources = countRealResources();

  constructor(
    private readonly options: SimulationOptions,
    state: SimulatedState,
    private readonly clock: Clock,
    /** All changes of objects so far, in their order. */
    changes: readonly ChangedObject[],
    /** The faults so far that can make properties of the user impossible. */
    faults: () => readonly SimulationFault[],
  ) {
    this.handling = new HandlingOracle(changes);
    this.pace = new PaceOracle(clock, options.writesPerMinute);
    this.properties = new PropertyOracle(options, state, faults);
  }

  /** All violations, without those of checks that are switched off. */
  get violations(): readonly Violation[] {
    const { properties, handling, progress, pace, options } = this;
    const all = [...this.found, ...properties.violations, ...handling.violations, ...progress.violations];
    return [...all, ...pace.violations].filter(({ check }) => options.oracles?.[check as 'overlap'] !== false);
  }

  /** Whether the operator has come to rest so far. */
  get isAtRest(): boolean {
    return !this.violations.some(({ check }) => UNREST.has(check));
  }

  /** Whether an operator that is busy only fails in the same ways. @param since the time from which on calls count, in milliseconds */
  onlyFails(now: number, since: number): boolean {
    return this.handling.failures.isEndless(now, since);
  }

  /** Whether the operator writes the same states of objects again and again. */
  get isRepeating(): boolean {
    return this.writes.repetition !== undefined;
  }

  /** Records that the operator does not come to rest, unless it is in a hot loop. */
  onUnrest(): void {
    const { mostFailing, lastCall } = this.handling;
    const { repetition } = this.writes;
    const reason = mostFailing
      ? `: ${mostFailing}`
      : repetition
        ? `: it writes the same again and again to ${repetition}`
        : lastCall
          ? `, and has called ${lastCall} last`
          : '';
    if (!this.pace.isLooping)
      this.add({ check: 'convergence', message: `the operator does not come to rest${reason}` });
  }

  /** Records faults of a plan that have not happened but must: because the plan has found something before, or because it runs on a cluster. */
  onMissed(faults: readonly SimulationFault[]): void {
    for (const fault of faults) this.add({ check: 'outdated', message: describeMiss(fault) });
  }

  add(...violations: readonly Violation[]): void {
    this.found.push(...violations);
  }

  /** Checks a change of an object. @returns violations of the user's properties that are new */
  onChange(change: WorldChange, isOperator: boolean): readonly Violation[] {
    if (isOperator) this.progress.onChange(change);
    const { type, resource, object, previous } = change;
    if (isOperator && type !== 'DELETED' && !isTransient(resource)) {
      const now = this.clock.monotonic();
      this.writes.note(now, this.pace.isExceeded, object, previous, () => foldedName(object));
    }
    return this.properties.onStep();
  }

  /** Checks the objects at the end of the run. */
  checkObjects(objects: readonly KubeObject[], exemptions: Exemptions): void {
    for (const object of objects) {
      if (exemptions.fromRelease(object)) continue;
      const { deletionTimestamp, finalizers } = object.metadata;
      if (!deletionTimestamp || object.kind === 'Namespace') continue;
      const message = `${foldedName(object)} is not deleted, as of its finalizers ${finalizers?.join(', ')}`;
      this.add({ check: 'stuck-deletion', message });
    }
  }

  /** Checks an operator at rest: its daemons, its indices, its watches, and its stored state. */
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

  /** Checks that a stopped operator leaves nothing open. */
  checkRemains(held: HeldResources): void {
    this.add(...checkRemains(held));
  }

  /** Checks that nothing is open when the whole run has stopped. */
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
