import type { FieldError } from '../errors/field.error.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import { jsonEqual, mapping } from '../common/json.values.js';
import { compareQuantities } from '../resources/quantity.js';
import { FieldReport, isSameContent } from './validation/field.report.js';
import { validateClaimSpec } from './validation/storage/claim.validation.js';
import type { BuiltinTraits } from './builtin.strategy.js';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

type Spec = Readonly<Record<string, unknown>>;

export const CLAIM_TRAITS: BuiltinTraits = {
  returnsDeleted: true,
  initialStatus: { phase: 'Pending' },
  prepareForCreate: (draft) => {
    draft['spec'] = withBothSources(withReadSources(mapping(draft['spec'])));
  },
  prepareForUpdate: (draft, { spec }) => {
    const { dataSource, dataSourceRef } = mapping(spec);
    const isNew = dataSource === undefined && dataSourceRef === undefined;
    const next = mapping(draft['spec']);
    draft['spec'] = withBothSources(isNew ? withReadSources(next) : next);
  },
  validate: validateClaim,
};

/** Leaves out sources of data that are not read: those in other namespaces, and all but claims and snapshots in the older field. */
function withReadSources({ dataSource, dataSourceRef, ...spec }: Spec): Spec {
  const reference = mapping(dataSourceRef)['namespace'] ? undefined : dataSourceRef;
  const { apiGroup, kind } = mapping(dataSource);
  const isClaim = !apiGroup && kind === 'PersistentVolumeClaim';
  const isSnapshot = apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';
  const isRead = reference !== undefined || isClaim || isSnapshot;
  return {
    ...spec,
    ...(isRead && dataSource !== undefined && { dataSource }),
    ...(reference !== undefined && { dataSourceRef: reference }),
  };
}

/** Copies the source of data into the older and into the newer field. */
function withBothSources(spec: Spec): Spec {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource === undefined && dataSourceRef === undefined) return spec;
  const { namespace: _, ...reference } = mapping(dataSourceRef);
  return { ...spec, dataSource: dataSource ?? reference, dataSourceRef: dataSourceRef ?? dataSource };
}

/** Checks a claim: it is bound once, and only a bound claim can grow. */
function validateClaim({ metadata, spec, status }: Draft, previous: KubeObject | undefined): FieldError[] {
  const report = new FieldReport();
  if (previous) validateClass(report, metadata.annotations, previous.metadata.annotations);
  if (previous && jsonEqual(spec, previous['spec'])) return report.errors;
  validateClaimSpec(report, 'spec', mapping(spec));
  return [...report.errors, ...(previous ? validateChange({ spec, status }, previous) : [])];
}

type Annotations = Draft['metadata']['annotations'];

/** Checks the class in an annotation, the older way to name it. */
function validateClass(report: FieldReport, annotations: Annotations, old: Annotations): void {
  const name = annotations?.[CLASS_ANNOTATION] ?? '';
  if (name !== (old?.[CLASS_ANNOTATION] ?? '')) {
    report.invalid(`metadata.annotations.${CLASS_ANNOTATION}`, name, 'field is immutable');
  }
}

function validateChange({ spec, status }: Pick<Draft, 'spec' | 'status'>, previous: KubeObject): FieldError[] {
  const next = mapping(spec);
  const old = mapping(previous['spec']);
  const report = new FieldReport();
  const isBound = mapping(status)['phase'] === 'Bound';
  // A selector of everything is not the same as none.
  const isSelector = (next['selector'] === undefined) !== (old['selector'] === undefined);
  if (isSelector || !isSameContent(unchangeable(next, old, isBound), old)) {
    const rule =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    report.forbidden('spec', rule);
  }
  const capacity = mapping(mapping(previous['status'])['capacity'])['storage'] ?? '0';
  const storage = storageOf(next);
  if (compareQuantities(storage, storageOf(old)) < 0 && compareQuantities(storage, capacity) <= 0) {
    report.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity');
  }
  if (next['volumeMode'] !== old['volumeMode']) report.invalid('volumeMode', next['volumeMode'], 'field is immutable');
  return report.errors;
}

/** Returns the spec with its allowed changes undone. */
function unchangeable(next: Spec, old: Spec, isBound: boolean): Spec {
  const spec: Record<string, unknown> = { ...next };
  const restore = (field: string): void => {
    if (old[field] === undefined) delete spec[field];
    else spec[field] = old[field];
  };
  if (!old['volumeName']) restore('volumeName');
  if (old['storageClassName'] === undefined) restore('storageClassName');
  if (isBound) {
    restore('resources');
    restore('volumeAttributesClassName');
  }
  return spec;
}

function storageOf(spec: Spec): unknown {
  return mapping(mapping(spec['resources'])['requests'])['storage'] ?? '0';
}
