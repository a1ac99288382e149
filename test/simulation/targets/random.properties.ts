import type { KubeObject } from 'nestjs-kopf';
import type { SimulatedState, SimulationProperty, SimulationStatement } from 'nestjs-kopf-simulation';
import { mixedProperties } from './mixed.properties.js';
import { relatedProperties } from './related.properties.js';
import { SELECTED, type RandomSpec } from './random.builder.js';
import type { RandomOperator } from './random.operator.js';
import { hasActed, lastProcess } from './random.run.js';
import type { RandomSettings } from './random.settings.js';

type Example = KubeObject<RandomSpec, Record<string, unknown>> & { readonly spec: RandomSpec };

/** Whether an operator selects an object by its label. */
function isSelected({ isSelecting }: RandomOperator, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return !isSelecting || metadata.labels?.[SELECTED.key] === SELECTED.value;
}

/** Makes the checks that hold for an operator at all times. */
export function alwaysOf(operator: RandomOperator, { kopf }: RandomSettings): readonly SimulationProperty[] {
  const finalizer = kopf.persistence!.finalizer!;

  /** Objects that were held by the finalizer go after the handlers of their deletions have succeeded only. */
  function releasesBeforeItGoes({ list, effects }: SimulatedState) {
    const held = (effects.memory.get('held') ?? new Map()) as Map<string, string>;
    effects.memory.set('held', held);
    const present = new Set<string>();
    for (const object of list('KopfExample')) {
      const { uid = '', name = '', finalizers } = object.metadata;
      present.add(uid);
      if (finalizers?.includes(finalizer)) held.set(uid, name);
      // It is released when it has left the selector.
      if (!isSelected(operator, object)) held.delete(uid);
    }
    for (const [uid, name] of held) {
      if (present.has(uid)) continue;
      held.delete(uid);
      const missing = operator.releasing.filter((handler) => !hasActed(effects, handler, uid));
      if (missing.length > 0) return `${name} has gone before ${missing.join()}`;
    }
    return true;
  }
  return operator.releasing.length > 0 ? [releasesBeforeItGoes] : [];
}

/** Makes the checks that hold for an operator that is at rest, unless a part of its patches is never stored. */
export function eventuallyOf(operator: RandomOperator, settings: RandomSettings): readonly SimulationProperty[] {
  return statementsOf(operator, settings).map((holds) => ({ holds, unless: ['rejected-patch'] }));
}

function statementsOf(operator: RandomOperator, settings: RandomSettings): readonly SimulationStatement[] {
  const { noting, guardedLabel } = operator;
  const examplesOf = ({ list }: SimulatedState): readonly Example[] =>
    list<Example>('KopfExample').filter(
      (example) => isSelected(operator, example) && settings.serves(example.metadata.namespace!),
    );

  function notesTheLastSize(state: SimulatedState) {
    for (const { metadata, spec, status = {} } of examplesOf(state)) {
      const wrong = noting.filter((id) => status[id] !== spec.size);
      if (wrong.length > 0) return `${metadata.name}: ${wrong.map((id) => `${id} is ${status[id] as string}`).join()}`;
    }
    return true;
  }

  function seesTheLastSize(state: SimulatedState) {
    return examplesOf(state).every(({ spec, status }) => status?.seen === spec.size);
  }

  function leavesNoProgress(state: SimulatedState) {
    for (const { metadata, status = {} } of examplesOf(state)) {
      const records = Object.entries(metadata.annotations ?? {}).filter(([, value]) => value.includes('"started"'));
      const kept = Object.keys((status.kopf as { progress?: object } | undefined)?.progress ?? {});
      if (records.length + kept.length > 0)
        return `${metadata.name}: ${[...records.map(([key]) => key), ...kept].join()}`;
    }
    return true;
  }

  function indexesAllObjects(state: SimulatedState) {
    const { sizes } = lastProcess(state.effects) ?? {};
    const indexed = [...(sizes?.entries() ?? [])].map(([name, values]) => `${name} ${[...values].join()}`);
    const expected = examplesOf(state).map(({ metadata, spec }) => `${metadata.name} ${spec.size}`);
    return indexed.sort().join() === expected.sort().join() || `${indexed.join()} instead of ${expected.join()}`;
  }

  function guardsExactlyTheMatching(state: SimulatedState) {
    const isGuarded = ({ metadata }: Example): boolean => !guardedLabel || guardedLabel in (metadata.labels ?? {});
    const expected = new Map(
      examplesOf(state)
        .filter(isGuarded)
        .map(({ metadata }) => [metadata.uid!, metadata.name!]),
    );
    const guarded = lastProcess(state.effects)?.guarded ?? new Map<string, string>();
    const isRight = guarded.size === expected.size && [...guarded.keys()].every((uid) => expected.has(uid));
    return isRight || `${namesIn(guarded)} instead of ${namesIn(expected)}`;
  }

  const isAlone = settings.replicas === 1;
  return [
    settings.repeatsLateChanges && notesTheLastSize,
    operator.notesEvents && seesTheLastSize,
    leavesNoProgress,
    operator.hasIndex && isAlone && indexesAllObjects,
    guardedLabel !== undefined && isAlone && guardsExactlyTheMatching,
    ...(operator.mixture ? mixedProperties(operator.mixture, settings) : []),
    ...(operator.relations ? relatedProperties(operator.relations, settings.repeatsLateChanges) : []),
  ].filter((property) => property !== false);
}

function namesIn(objects: ReadonlyMap<string, string>): string {
  return [...objects.values()].sort().join();
}
