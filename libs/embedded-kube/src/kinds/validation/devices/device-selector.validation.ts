import { CelCompilationError, CelEnvironment } from '../../../cel/cel.environment.js';
import { QUANTITY } from '../../../cel/library/quantity.library.js';
import { ANY, BOOL, mapOf, STRING, struct } from '../../../cel/values/cel.type.js';
import type { FieldReport } from '../field.report.js';

const LONGEST = 10 * 1024;

let environment: CelEnvironment | undefined;

/**
 * Makes the environment of expressions that know a device as `device`: its attributes and capacities are those of a domain, by their names.
 */
function deviceEnvironment(): CelEnvironment {
  const device = struct(
    'kubernetes.DRADevice',
    new Map([
      ['driver', STRING],
      ['attributes', mapOf(STRING, mapOf(STRING, ANY))],
      ['capacity', mapOf(STRING, mapOf(STRING, QUANTITY))],
      ['allowMultipleAllocations', BOOL],
    ]),
  );
  return (environment ??= new CelEnvironment({ variables: { device }, types: [device], bindings: true }));
}

/** Checks an expression that selects devices. */
export function validateSelectorExpression(report: FieldReport, path: string, expression: string): void {
  if (Buffer.byteLength(expression) > LONGEST) return report.tooLong(path, LONGEST);
  try {
    const { text } = deviceEnvironment().compile(expression).type;
    if (text !== BOOL.text && text !== ANY.text) {
      report.invalid(path, expression, `must evaluate to bool or the unknown type, not ${text}`);
    }
  } catch (error) {
    if (!(error instanceof CelCompilationError)) throw error;
    // There is no place in an expression that is not there.
    const message = expression ? error.message : error.message.split('\n')[0]!.replace(':1:1:', ':1:0:');
    report.invalid(path, expression, `compilation failed: ${message}`);
  }
}
