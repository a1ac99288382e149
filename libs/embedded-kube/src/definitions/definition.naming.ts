import { timestamp } from '../common/timestamps.js';
import { approvalCondition } from './validation/api.approval.js';
import type { Definition, DefinitionCondition, DefinitionNames } from './definition.types.js';

/** Returns the status of a definition after its names are compared with those that are taken in its group. */
export function acceptNames(
  definition: Definition,
  others: readonly Definition[],
  now: number,
): NonNullable<Definition['status']> {
  const { names, group, versions } = definition.spec;
  const problem = conflictOf(
    names,
    others.filter(({ spec }) => spec.group === group).map(({ spec }) => spec.names),
  );
  const old = definition.status?.conditions ?? [];
  const storage = versions.find((version) => version.storage)!.name;
  const stored = definition.status?.storedVersions ?? [];
  const wasEstablished = old.some(({ type, status }) => type === 'Established' && status === 'True');
  const named = problem
    ? condition('NamesAccepted', 'False', problem.reason, problem.message)
    : condition('NamesAccepted', 'True', 'NoConflicts', 'no conflicts found');
  const established =
    problem && !wasEstablished
      ? condition('Established', 'False', 'NotAccepted', 'not all names are accepted')
      : condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted');
  const approval = approvalCondition(group, definition.metadata.annotations);
  const own = approval ? [approval, named, established] : [named, established];
  const others_ = old.filter(({ type }) => !own.some((each) => each.type === type));
  return {
    conditions: [...own.map((each) => keepTransition(each, old, now)), ...others_],
    acceptedNames: problem ? (definition.status?.acceptedNames ?? { plural: '', kind: '' }) : names,
    storedVersions: stored.includes(storage) ? stored : [...stored, storage],
  };
}

type BareCondition = Omit<DefinitionCondition, 'lastTransitionTime'>;

function condition(type: string, status: 'True' | 'False', reason: string, message: string): BareCondition {
  return { type, status, reason, message };
}

function keepTransition(next: BareCondition, old: readonly DefinitionCondition[], now: number): DefinitionCondition {
  const { type, status, reason, message } = next;
  const before = old.find((each) => each.type === type && each.status === status);
  return { type, status, lastTransitionTime: before?.lastTransitionTime ?? timestamp(now), reason, message };
}

function conflictOf(
  names: DefinitionNames,
  taken: readonly DefinitionNames[],
): { reason: string; message: string } | undefined {
  const resources = new Set(taken.flatMap((each) => [each.plural, each.singular, ...(each.shortNames ?? [])]));
  const kinds = new Set(taken.flatMap((each) => [each.kind, each.listKind]));
  const inUse = (reason: string, name: string) => ({ reason, message: `${JSON.stringify(name)} is already in use` });
  if (resources.has(names.plural)) return inUse('PluralConflict', names.plural);
  if (names.singular && resources.has(names.singular)) return inUse('SingularConflict', names.singular);
  const short = names.shortNames?.find((name) => resources.has(name));
  if (short) return inUse('ShortNamesConflict', short);
  if (kinds.has(names.kind)) return inUse('KindConflict', names.kind);
  if (names.listKind && kinds.has(names.listKind)) return inUse('ListKindConflict', names.listKind);
  return undefined;
}
