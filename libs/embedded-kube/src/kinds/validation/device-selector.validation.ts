import { CelCompilationError, CelEnvironment } from '../../cel/cel.environment.js';
import { DYN } from '../../cel/values/cel.type.js';
import type { FieldReport } from './field.report.js';

const LONGEST = 10 * 1024;

/** An expression that selects devices, which it knows as `device`. */
export function validateSelectorExpression(report: FieldReport, path: string, expression: string): void {
  if (Buffer.byteLength(expression) > LONGEST) return report.tooLong(path, LONGEST);
  try {
    const { text } = new CelEnvironment({ variables: { device: DYN } }).compile(expression).type;
    if (text !== 'bool' && text !== 'dyn') {
      report.invalid(path, expression, `must evaluate to bool or the unknown type, not ${text}`);
    }
  } catch (error) {
    if (!(error instanceof CelCompilationError)) throw error;
    // There is no place in an expression that is not there.
    const message = expression ? error.message : error.message.split('\n')[0]!.replace(':1:1:', ':1:0:');
    report.invalid(path, expression, `compilation failed: ${message}`);
  }
}
