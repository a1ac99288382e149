import { CelCompilationError, CelEnvironment, type CelProgram } from '../../cel/cel.environment.js';
import { optionalOf } from '../../cel/values/cel.type.js';
import type { DeclaredType } from '../../cel/values/declared.type.js';
import type { ValidationRule } from '../schema/structural.schema.js';

/** A rule that is ready to be evaluated, or the reason why it is not. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent if the rule is empty or wrong. */
  readonly program?: CelProgram;
  readonly error?: string;
  readonly messageProgram?: CelProgram;
  readonly messageError?: string;
}

/** Compiles the rules of one schema, for data of the declared type. */
export function compileRules(rules: readonly ValidationRule[], declared: DeclaredType): CompiledRule[] {
  const plain = new CelEnvironment({ variables: { self: declared.type, oldSelf: declared.type } });
  const optional = new CelEnvironment({ variables: { self: declared.type, oldSelf: optionalOf(declared.type) } });
  return rules.map((rule) => compileRule(rule, rule.optionalOldSelf ? optional : plain));
}

function compileRule(rule: ValidationRule, environment: CelEnvironment): CompiledRule {
  if (rule.rule.trim() === '') return { rule };
  const program = attempt(environment, rule.rule);
  if (typeof program === 'string') return { rule, error: `compilation failed: ${program}` };
  if (program.type.kind !== 'bool') return { rule, error: 'cel expression must evaluate to a bool' };
  if (!rule.messageExpression) return { rule, program };
  const messageProgram = attempt(environment, rule.messageExpression);
  if (typeof messageProgram === 'string') {
    return { rule, program, messageError: `messageExpression compilation failed: ${messageProgram}` };
  }
  if (messageProgram.type.kind === 'string') return { rule, program, messageProgram };
  return { rule, program, messageError: 'messageExpression must evaluate to a string' };
}

function attempt(environment: CelEnvironment, expression: string): CelProgram | string {
  try {
    return environment.compile(expression);
  } catch (error) {
    if (error instanceof CelCompilationError) return error.message;
    throw error;
  }
}
