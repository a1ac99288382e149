import { type FieldError, invalidField, requiredField } from '../../errors/field.error.js';
import { label1035, subdomain } from '../../resources/name.rules.js';

const PATH = 'spec.paramKind';

/** Checks the kind of a policy's parameters: a group and version, and a kind, that there could be. */
export function validateParamKind({
  apiVersion = '',
  kind = '',
}: {
  apiVersion?: string;
  kind?: string;
}): FieldError[] {
  return [...validateVersion(apiVersion), ...validateKind(kind)];
}

function validateVersion(apiVersion: string): FieldError[] {
  const path = `${PATH}.apiVersion`;
  if (!apiVersion) return [requiredField(path)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalidField(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [version = '', group = ''] = parts.reverse();
  const ofGroup = group ? subdomain(group) : [];
  const ofVersion = version ? label1035(version) : [];
  return [
    ...(ofGroup.length > 0 ? [invalidField(path, group, ofGroup.join(','))] : []),
    ...(version ? [] : [invalidField(path, apiVersion, 'version must be specified')]),
    ...(ofVersion.length > 0 ? [invalidField(path, version, ofVersion.join(','))] : []),
  ];
}

function validateKind(kind: string): FieldError[] {
  if (!kind) return [requiredField(`${PATH}.kind`)];
  const problems = label1035(kind.toLowerCase());
  if (problems.length === 0) return [];
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
  return [invalidField(`${PATH}.kind`, kind, detail)];
}
