import { labelKeyFaults, labelValueFaults } from './label.validation.js';
import { SelectorError } from './selector.error.js';

/** The comparison of a requirement with a label. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | '>' | '<';

/** One requirement of a label selector. */
export class LabelRequirement {
  /**
   * @throws SelectorError if the key, the values or their number do not fit the operator
   */
  static create(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
    const faults = labelKeyFaults(key).length ? [`key: ${invalid(key, labelKeyFaults(key).join('; '))}`] : [];
    if (operator === '>' || operator === '<') {
      for (const [index, value] of values.entries()) {
        if (!isInteger(value)) {
          const reason = "for 'Gt', 'Lt' operators, the value must be an integer";
          faults.push(`values[${index}]: ${invalid(value, reason)}`);
        }
      }
    }
    for (const [index, value] of values.entries()) {
      const valueFaults = labelValueFaults(value);
      if (valueFaults.length) faults.push(`values[${index}][${key}]: ${invalid(value, valueFaults.join('; '))}`);
    }
    if (faults.length) throw new SelectorError(faults.length > 1 ? `[${faults.join(', ')}]` : faults[0]);
    return new LabelRequirement(key, operator, values);
  }

  private constructor(
    readonly key: string,
    readonly operator: LabelOperator,
    readonly values: readonly string[],
  ) {}

  matches(labels: Readonly<Record<string, string>>): boolean {
    const value = Object.hasOwn(labels, this.key) ? labels[this.key] : undefined;
    switch (this.operator) {
      case 'exists':
        return value !== undefined;
      case '!':
        return value === undefined;
      case 'in':
      case '=':
      case '==':
        return value !== undefined && this.values.includes(value);
      case 'notin':
      case '!=':
        return value === undefined || !this.values.includes(value);
      case '>':
      case '<':
        return value !== undefined && isInteger(value) && this.compares(BigInt(value));
    }
  }

  toString(): string {
    const values = this.values.toSorted().join(',');
    switch (this.operator) {
      case 'exists':
        return this.key;
      case '!':
        return `!${this.key}`;
      case 'in':
      case 'notin':
        return `${this.key} ${this.operator} (${values})`;
      default:
        return `${this.key}${this.operator}${values}`;
    }
  }

  private compares(value: bigint): boolean {
    const bound = BigInt(this.values[0]);
    return this.operator === '>' ? value > bound : value < bound;
  }
}

function invalid(value: string, reason: string): string {
  return `Invalid value: ${JSON.stringify(value)}: ${reason}`;
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,19}$/.test(text);
}
