import type { Draft } from '../resources/kube-object.js';
import { mapping } from '../common/json.values.js';
import { label } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';

export const NAMESPACE_TRAITS: BuiltinTraits = {
  nameRule: label,
  returnsDeleted: true,
  initialStatus: { phase: 'Active' },
  defaults: (draft) => {
    const { name, labels } = draft.metadata;
    if (name) draft.metadata.labels = { ...labels, [NAME_LABEL]: name };
    if (!mapping(draft['spec'])['finalizers'] && !draft.metadata.uid) draft['spec'] = { finalizers: ['kubernetes'] };
  },
  // Finalizers of the spec change through `finalize` only.
  prepareForUpdate: (draft, { spec }) => {
    if (spec !== undefined) draft['spec'] = spec;
  },
  markDeleted: (draft: Draft, deletionTimestamp) => {
    draft.metadata.deletionTimestamp = deletionTimestamp;
    draft['status'] = { ...mapping(draft['status']), phase: 'Terminating' };
  },
  // The namespace's content has to go first: whoever removes it takes this finalizer away through `finalize`.
  holdsDeletion: ({ spec }) => {
    const { finalizers } = mapping(spec);
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
};
