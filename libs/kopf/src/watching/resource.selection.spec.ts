import { makeResource } from '../../../../test/support/objects/resources.js';
import type { Resource } from '../resources/resources.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import { parseSelector } from '../resources/selectors.js';
import { selectServedResources } from './resource.selection.js';

const ALL_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

const NO_HANDLERS = { owned: [], changing: [], watching: [], spawning: [], indexing: [] };

function select(available: readonly Resource[], requiresPatching = true) {
  const selectors = [parseSelector(['kopfexamples'])];
  const registry = {
    selectors: () => selectors,
    requiresPatching: () => requiresPatching,
    handlersOf: () => NO_HANDLERS,
    sourcesOf: () => ['Operator.create'],
  };
  return selectServedResources(registry as unknown as HandlerRegistry, available);
}

describe('selectResources', () => {
  it('should serve what can be watched and patched', () => {
    const all = makeResource({ verbs: ALL_VERBS });
    expect(select([all])).toEqual({ resources: [all], unresolved: [], unserved: [], warnings: [] });
  });

  it('should name what the cluster does not have', () => {
    const { unresolved, warnings } = select([]);
    expect(unresolved).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('the cluster has no such resource')]);
  });

  it('should not choose among several groups', () => {
    const { resources, warnings } = select([
      makeResource({ verbs: ALL_VERBS }),
      makeResource({ verbs: ALL_VERBS, group: 'other.dev' }),
    ]);
    expect(resources).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('add the group to say which')]);
  });

  it.each([
    [['get', 'list'], true, 'watch, patch'],
    [['get', 'list', 'watch'], true, 'patch'],
    [['get', 'list', 'watch', 'create', 'delete'], true, 'patch'],
    [['get'], false, 'list, watch'],
  ])('should not serve what supports only %j, if patching is needed: %s', (verbs, requiresPatching, missing) => {
    const { resources, warnings } = select([makeResource({ verbs })], requiresPatching);
    expect(resources).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(`does not support ${missing}\\. Named by Operator\\.create\\.$`)]);
  });

  it('should serve what supports no patches, if they are not needed', () => {
    expect(select([makeResource({ verbs: ['list', 'watch'] })], false).resources).toHaveLength(1);
  });

  it('should go on serving a resource whose CRD is being deleted, so that its objects can be released', () => {
    const { resources, warnings } = select([
      makeResource({ verbs: ['delete', 'deletecollection', 'get', 'list', 'watch'] }),
    ]);
    expect(resources).toHaveLength(1);
    expect(warnings).toEqual([]);
  });
});
