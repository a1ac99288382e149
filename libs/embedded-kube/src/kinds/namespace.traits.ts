import type { Draft } from '../resources/kube-object.js';
import { mapping } from '../common/json.values.js';
import { label, qualifiedName } from '../resources/name.rules.js';
import type { BuiltinTraits } from './builtin.strategy.js';
import { countOf, FieldReport, isSameContent, textsOf } from './validation/field.report.js';

const NAME_LABEL = 'kubernetes.io/metadata.name';

const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function validateFinalizer(report: FieldReport, path: string, name: string): void {
  report.named(path, name, qualifiedName);
  if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return;
  report.invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified');
}

export const NAMESPACE_TRAITS: BuiltinTraits = {
  nameRule: label,
  returnsDeleted: true,
  initialStatus: { phase: 'Active' },
  defaults: (draft) => {
    const { name, labels } = draft.metadata;
    if (name) draft.metadata.labels = { ...labels, [NAME_LABEL]: name };
    const status = mapping(draft['status']);
    if (!status['phase']) draft['status'] = { ...status, phase: 'Active' };
  },
  prepareForCreate: (draft) => {
    if (countOf(mapping(draft['spec'])['finalizers']) === 0) draft['spec'] = { finalizers: ['kubernetes'] };
  },
  // Finalizers of the spec change through `finalize` only.
  prepareForUpdate: (draft, { spec }) => {
    if (spec !== undefined) draft['spec'] = spec;
  },
  validate: ({ spec, status, metadata }, previous) => {
    const report = new FieldReport();
    if (!previous) {
      const { finalizers } = mapping(spec);
      for (const name of textsOf(finalizers)) validateFinalizer(report, 'spec.finalizers', name);
    } else if (!isSameContent(status, previous['status'])) {
      const { phase = '' } = mapping(status);
      const isDeleted = metadata.deletionTimestamp !== undefined;
      const expected = isDeleted ? 'Terminating' : 'Active';
      const rule = `may only be '${expected}' if \`deletionTimestamp\` is ${isDeleted ? 'not ' : ''}empty`;
      if (phase !== expected) report.invalid('status.Phase', phase, rule);
    }
    return report.errors;
  },
  markDeleted: (draft: Draft, deletionTimestamp) => {
    draft.metadata.deletionTimestamp = deletionTimestamp;
    draft['status'] = { ...mapping(draft['status']), phase: 'Terminating' };
  },
  // The namespace's content has to go first: a controller removes this finalizer through `finalize` then.
  holdsDeletion: ({ spec }) => {
    const { finalizers } = mapping(spec);
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
};
