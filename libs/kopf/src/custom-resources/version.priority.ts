const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** Compares versions as the API server orders them: the most stable and newest one comes first, other names come last. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [rankOf(one), rankOf(other)];
  if (!a || !b) return a ? -1 : b ? 1 : one < other ? -1 : Number(one > other);
  const index = a.findIndex((rank, place) => rank !== b[place]);
  return index < 0 ? 0 : b[index] - a[index];
}

function rankOf(version: string): readonly number[] | undefined {
  const [, major, stage, minor] = VERSION.exec(version) ?? [];
  if (major === undefined) return undefined;
  return [stage === undefined ? 2 : stage === 'beta' ? 1 : 0, Number(major), Number(minor ?? 0)];
}
