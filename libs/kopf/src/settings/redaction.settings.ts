import { parseRedactedFields, type RedactedFields } from '../resources/redactor.js';
import { Rule } from './option.validation.js';

/** The settings of redaction: values that log lines, errors, and inspections do not show. They never show values of Secrets. */
export class RedactionSettings {
  /**
   * The fields whose values are not shown, as if they were those of a Secret.
   *
   * @default none
   * @example
   * KopfModule.forRoot({ redaction: { fields: [{ resource: 'configmaps', fields: ['data.password'] }] } });
   */
  @Rule(areRedactedFields) fields: readonly RedactedFields[] = [];
}

function areRedactedFields(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  for (const rule of value as Partial<RedactedFields>[]) {
    const { resource, fields } = rule ?? {};
    if (resource === undefined || !Array.isArray(fields))
      return 'must be a list of { resource, fields }, fields being a list';
    try {
      parseRedactedFields({ resource, fields });
    } catch (error) {
      return `must have resources and fields: ${(error as Error).message}`;
    }
  }
  return undefined;
}
