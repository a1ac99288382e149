const DECIMAL = /^\d+$/;

/**
 * Tells whether one resource version comes before another one of the same resource.
 *
 * Kubernetes defines resource versions as decimal numbers of any length that can be compared. Where an aggregated API server
 * has others, nothing is known of their order, and every version but the expected one counts as older.
 *
 * @param version the version in question; an absent one counts as older.
 */
export function isOlderVersion(version: string | undefined, expected: string): boolean {
  if (version === expected) return false;
  if (version === undefined || !DECIMAL.test(version) || !DECIMAL.test(expected)) return true;
  return version.length === expected.length ? version < expected : version.length < expected.length;
}
