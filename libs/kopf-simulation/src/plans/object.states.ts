import { diff } from 'nestjs-kopf/tooling';
import type { TestManifestObject } from 'nestjs-kopf/testing';
import { isMap, stringifyJson } from 'kube-common';

/** Leaves out single states, and single changes of states. */
export function* smallerStates(states: readonly TestManifestObject[]): Generator<readonly TestManifestObject[]> {
  if (states.length > 2) {
    for (let index = 0; index < states.length; index++) yield states.toSpliced(index, 1);
  }
  for (let index = 1; index < states.length; index++) {
    const [before, after] = [states[index - 1]!, states[index]!];
    for (const part of differingParts(before, after)) yield states.with(index, withPart(after, part, before));
  }
}

/** Describes a change of the user: `spec.size becomes "2Gi"`. */
export function describeChange(before: TestManifestObject | undefined, after: TestManifestObject): string {
  if (!before) return `${after.kind} '${after.metadata.name}' is created`;
  const parts = diff(before, after).map(([, path, , value]) =>
    value === undefined || value === null
      ? `${path.join('.')} is left out`
      : `${path.join('.')} becomes ${stringifyJson(value)}`,
  );
  return parts.join(', ') || 'nothing changes';
}

/** The top-level parts, and the members of the spec, that differ, if more than one does. */
function differingParts(before: TestManifestObject, after: TestManifestObject): readonly (readonly string[])[] {
  const paths = diff(before, after).map(([, path]) => path.slice(0, 2));
  const parts = [...new Map(paths.map((path) => [path.join('.'), path])).values()];
  return parts.length > 1 ? parts : [];
}

function withPart(object: TestManifestObject, [first, second]: readonly string[], source: object): TestManifestObject {
  const from = source as Record<string, unknown>;
  const copy = { ...object } as Record<string, unknown>;
  if (second === undefined || !isMap(from[first!]) || !isMap(copy[first!])) copy[first!] = from[first!];
  else copy[first!] = { ...(copy[first!] as object), [second]: (from[first!] as Record<string, unknown>)[second] };
  return copy as unknown as TestManifestObject;
}
