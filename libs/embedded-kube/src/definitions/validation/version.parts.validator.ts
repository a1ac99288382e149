import { mapping } from '../../common/json.values.js';
import { duplicateField, type FieldError, invalidField, manyField, requiredField } from '../../errors/field.error.js';
import { parseFieldPath } from '../schema/schema.path.js';
import type { StructuralSchema } from '../schema/structural.schema.js';
import type { RawSchema } from './schema.nodes.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE_FIELDS = 8;

/** Checks the columns that `kubectl get` prints. */
export function validateColumns(columns: unknown, path: string): FieldError[] {
  if (!Array.isArray(columns)) return [];
  return columns.flatMap((each: unknown, index) => validateColumn(mapping(each), `${path}[${index}]`));
}

function validateColumn(column: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name, type, format, jsonPath } = column;
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  if (!name) errors.push(requiredField(`${path}.name`));
  if (!type) errors.push(requiredField(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type as string)) errors.push(invalidField(`${path}.type`, type, types));
  if (format && !COLUMN_FORMATS.includes(format as string)) {
    errors.push(invalidField(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  }
  if (!jsonPath) errors.push(requiredField(`${path}.JSONPath`));
  else errors.push(...checkSimplePath(jsonPath, `${path}.JSONPath`));
  return errors;
}

function checkSimplePath(value: unknown, path: string): FieldError[] {
  if (typeof value === 'string' && value.startsWith('.')) return [];
  return [invalidField(path, value, 'must be a simple json path starting with .')];
}

/** Checks where a scale subresource finds its numbers. */
export function validateSubresources(subresources: unknown, path: string): FieldError[] {
  const { scale } = mapping(subresources);
  if (scale === undefined || scale === null) return [];
  const paths = mapping(scale);
  return [
    ...checkScalePath(paths['specReplicasPath'], `${path}.scale.specReplicasPath`, ['.spec'], 'under .spec'),
    ...checkScalePath(paths['statusReplicasPath'], `${path}.scale.statusReplicasPath`, ['.status'], 'under .status'),
    ...(paths['labelSelectorPath']
      ? checkScalePath(
          paths['labelSelectorPath'],
          `${path}.scale.labelSelectorPath`,
          ['.spec', '.status'],
          'under either .spec or .status',
        )
      : []),
  ];
}

function checkScalePath(value: unknown, path: string, roots: readonly string[], where: string): FieldError[] {
  if (!value) return [requiredField(path)];
  const errors = checkSimplePath(value, path);
  if (errors.length > 0 || roots.some((root) => String(value).startsWith(`${root}.`))) return errors;
  return [invalidField(path, value, `should be a json path ${where}`)];
}

/** Checks the fields by which field selectors can select. */
export function validateSelectableFields(fields: unknown, schema: RawSchema | undefined, path: string): FieldError[] {
  if (!Array.isArray(fields) || fields.length === 0) return [];
  if (!schema) return [invalidField(path, '', 'may only be set when validations.schema is included')];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  fields.forEach((each: unknown, index) => {
    const { jsonPath } = mapping(each);
    const field = `${path}[${index}].jsonPath`;
    if (typeof jsonPath !== 'string' || jsonPath === '') {
      errors.push(requiredField(field));
      return;
    }
    const found = parseFieldPath(jsonPath, schema as StructuralSchema, false);
    if (typeof found === 'string') {
      errors.push(invalidField(field, jsonPath, `is an invalid path: ${found}`));
      return;
    }
    if (/^metadata(?:\.|$)/.test(found.path)) {
      errors.push(invalidField(field, jsonPath, 'must not point to fields in metadata'));
    }
    if (!['string', 'boolean', 'integer'].includes(found.schema.type ?? '')) {
      const rule =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalidField(field, jsonPath, rule));
    }
    if (seen.has(found.path)) errors.push(duplicateField(field, jsonPath));
    seen.add(found.path);
  });
  if (seen.size > MAX_SELECTABLE_FIELDS) errors.push(manyField(path, seen.size, MAX_SELECTABLE_FIELDS));
  return errors;
}

/** Checks the text that clients of a deprecated version are warned with. */
export function validateDeprecation(version: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (typeof warning !== 'string') return [];
  const field = `${path}.deprecationWarning`;
  if (deprecated !== true) return [invalidField(field, warning, 'can only be set for deprecated versions')];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long');
  if (warning === '') problems.push('must not be an empty string');
  const control = /[\p{C}\u2028\u2029]/u.exec(warning);
  if (control) {
    const index = Buffer.byteLength(warning.slice(0, control.index));
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
  }
  return problems.map((problem) => invalidField(field, warning, problem));
}
