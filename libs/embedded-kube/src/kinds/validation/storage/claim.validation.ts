import { subdomain } from '../../../resources/name.rules.js';
import { compareQuantities } from '../../../resources/quantity.js';
import { type FieldReport, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateLabelSelector } from '../selector.validation.js';

export const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Checks the spec of a claim for a volume. */
export function validateClaimSpec(report: FieldReport, path: string, spec: Values): void {
  const modes = textsOf(spec['accessModes']);
  if (modes.length === 0) report.required(`${path}.accessModes`, 'at least 1 access mode is required');
  validateLabelSelector(report, `${path}.selector`, spec['selector']);
  for (const mode of modes) report.oneOf(`${path}.accessModes`, mode, ACCESS_MODES);
  const isShared = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (modes.includes('ReadWriteOncePod') && isShared) {
    report.forbidden(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes');
  }
  const storage = structOf(structOf(spec['resources'])?.['requests'])?.['storage'];
  if (storage === undefined) report.required(`${path}.resources[storage]`);
  else if (compareQuantities(storage, '0') <= 0) {
    report.invalid(`${path}.resources[storage]`, storage, 'must be greater than zero');
  }
  if (spec['storageClassName']) report.named(`${path}.storageClassName`, spec['storageClassName'], subdomain);
  report.oneOfOptional(`${path}.volumeMode`, spec['volumeMode'], ['Block', 'Filesystem']);
  for (const field of ['dataSource', 'dataSourceRef'])
    validateSource(report, `${path}.${field}`, structOf(spec[field]));
  const [source, reference] = [structOf(spec['dataSource']), structOf(spec['dataSourceRef'])];
  const differs = (field: string): boolean => textOf(source?.[field]) !== textOf(reference?.[field]);
  if (source && reference && ['apiGroup', 'kind', 'name'].some(differs)) {
    report.invalid(path, {}, 'must match dataSourceRef');
  }
  if (spec['volumeAttributesClassName']) {
    report.named(`${path}.volumeAttributesClassName`, spec['volumeAttributesClassName'], subdomain);
  }
}

function validateSource(report: FieldReport, path: string, source: Values | undefined): void {
  if (!source) return;
  report.requiredText(`${path}.name`, source['name']);
  report.requiredText(`${path}.kind`, source['kind']);
  if (!source['apiGroup'] && source['kind'] !== 'PersistentVolumeClaim') {
    report.invalid(
      path,
      textOf(source['kind']),
      "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
    );
  }
  if (source['apiGroup']) report.named(`${path}.apiGroup`, source['apiGroup'], subdomain);
}
