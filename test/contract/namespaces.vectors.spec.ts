import { matchNamespace, selectSpecificNamespaces } from '../../libs/kopf/src/resources/namespaces.js';
import { readVectors } from './vectors.js';

const { namespaces, specificNamespaces } = readVectors();

describe('namespaces', () => {
  it.each(namespaces)('should be matched as by Kopf: $name with $pattern', ({ pattern, name, match }) => {
    expect(matchNamespace(name, pattern)).toBe(match);
  });

  it('should be selected as by Kopf from all patterns', () => {
    const patterns = namespaces.map(({ pattern }) => pattern);
    expect(selectSpecificNamespaces([...patterns, ...specificNamespaces]).sort()).toEqual(
      [...specificNamespaces].sort(),
    );
  });
});
