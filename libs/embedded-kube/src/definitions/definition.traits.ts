import type { Draft } from '../resources/kube-object.js';
import { isMapping, mapping } from '../common/json.values.js';
import type { BuiltinTraits } from '../kinds/builtin.strategy.js';
import { CLEANUP_FINALIZER, type DefinitionCondition } from './definition.types.js';
import { validateDefinition } from './definition.validator.js';

/** The life of definitions themselves. */
export const DEFINITION_TRAITS: BuiltinTraits = {
  generation: true,
  initialStatus: (draft) => ({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storageVersions(draft),
  }),
  // A version is added when it becomes the storage version, and stays until a client removes it.
  prepareForUpdate: (draft) => {
    const status = mapping(draft['status']);
    const stored = Array.isArray(status['storedVersions']) ? (status['storedVersions'] as string[]) : [];
    const added = storageVersions(draft).filter((name) => !stored.includes(name));
    if (added.length > 0) draft['status'] = { ...status, storedVersions: [...stored, ...added] };
  },
  defaults: (draft) => {
    const spec = mapping(draft['spec']);
    const names = mapping(spec['names']);
    const kind = names['kind'];
    draft['spec'] = {
      ...spec,
      names: {
        ...names,
        ...(typeof kind === 'string' && {
          singular: names['singular'] ?? kind.toLowerCase(),
          listKind: names['listKind'] ?? `${kind}List`,
        }),
      },
      conversion: withPort(spec['conversion'] ?? { strategy: 'None' }),
    };
  },
  validate: validateDefinition,
  markDeleted: (draft, deletionTimestamp) => {
    const status = mapping(draft['status']);
    const conditions = Array.isArray(status['conditions']) ? (status['conditions'] as DefinitionCondition[]) : [];
    draft.metadata.deletionTimestamp = deletionTimestamp;
    draft.metadata.finalizers = [...(draft.metadata.finalizers ?? []), CLEANUP_FINALIZER];
    draft['status'] = {
      ...status,
      conditions: [
        ...conditions.filter(({ type }) => type !== 'Terminating'),
        {
          type: 'Terminating',
          status: 'True',
          lastTransitionTime: deletionTimestamp,
          reason: 'InstanceDeletionPending',
          message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
        },
      ],
    };
  },
};

/** Adds port 443 to the services of conversion webhooks that set none. */
function withPort(conversion: unknown): unknown {
  const { webhook } = mapping(conversion);
  const { clientConfig } = mapping(webhook);
  const { service } = mapping(clientConfig);
  if (!isMapping(service) || (service['port'] ?? undefined) !== undefined) return conversion;
  const served = { ...mapping(clientConfig), service: { ...service, port: 443 } };
  return { ...mapping(conversion), webhook: { ...mapping(webhook), clientConfig: served } };
}

function storageVersions({ spec }: Draft): string[] {
  const { versions } = mapping(spec);
  if (!Array.isArray(versions)) return [];
  return versions
    .map((version: unknown) => mapping(version))
    .filter(({ storage }) => storage === true)
    .map(({ name }) => String(name));
}
