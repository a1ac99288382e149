import {
  fieldStep,
  filterStep,
  type JsonPathStep,
  literalStep,
  recursiveStep,
  sliceStep,
  unionStep,
  wildcardStep,
} from './json-path.steps.js';

const FILTER = /^([^!<>=]+)(==|!=|<=|>=|<|>)(.+)$/s;

/** The compiler of the text between the braces into steps. */
export class JsonPathParser {
  private position = 0;

  constructor(private readonly text: string) {}

  parse(): JsonPathStep[] {
    const steps: JsonPathStep[] = [];
    while (this.position < this.text.length) this.parseNext(steps);
    return steps;
  }

  private parseNext(steps: JsonPathStep[]): void {
    const rest = this.text.slice(this.position);
    if (rest.startsWith('[?(')) {
      steps.push(this.filter());
    } else if (rest.startsWith('..')) {
      this.position += 2;
      steps.push(recursiveStep);
      if (/^\w/.test(this.text.slice(this.position))) steps.push(this.field());
    } else if (rest.startsWith('.')) {
      this.position += 1;
      steps.push(this.field());
    } else if (rest.startsWith('[')) {
      steps.push(...this.brackets());
    } else if (/^[ @$]/.test(rest)) {
      this.position += 1;
    } else {
      steps.push(this.literal(rest));
    }
  }

  private field(): JsonPathStep {
    const match = this.take(/(?:\\.|[^\\ \t\r\n.,[\]$@{}])*/sy);
    return match === '*' ? wildcardStep : fieldStep(match.replaceAll('\\', ''));
  }

  private brackets(): JsonPathStep[] {
    const inner = this.take(/\[[^\]\n]*\]/y).slice(1, -1);
    const alternatives = inner.split(',');
    if (alternatives.length > 1) {
      return [unionStep(alternatives.map((alternative) => new JsonPathParser(`[${alternative.trim()}]`).parse()))];
    }
    const key = /^'([^']*)'$/.exec(inner);
    if (key) return new JsonPathParser(`.${key[1]}`).parse();
    const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(inner === '*' ? ':' : inner);
    if (!slice) throw new Error(`invalid array index ${inner}`);
    return [sliceStep(slice[1], slice[2]?.slice(1), slice[3]?.slice(1))];
  }

  private filter(): JsonPathStep {
    const condition = this.take(/\[\?\((?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[^)'"])*\)\]/sy).slice(3, -2);
    const match = FILTER.exec(condition);
    if (!match) return filterStep(new JsonPathParser(condition).parse());
    return filterStep(new JsonPathParser(match[1]).parse(), match[2], new JsonPathParser(match[3]).parse());
  }

  private literal(rest: string): JsonPathStep {
    if (/^['"]/.test(rest)) {
      const quoted = this.take(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/sy).slice(1, -1);
      return literalStep(quoted.replaceAll(/\\(.)/gs, '$1'));
    }
    if (/^[+-]?\d/.test(rest)) return literalStep(Number(this.take(/[+-]?[\d.]+/y)));
    const word = this.take(/\w+/y);
    if (word === 'true' || word === 'false') return literalStep(word === 'true');
    throw new Error(`unrecognized identifier ${word}`);
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.text);
    if (!match) throw new Error(`unexpected text in path: ${this.text.slice(this.position)}`);
    this.position = pattern.lastIndex;
    return match[0];
  }
}
