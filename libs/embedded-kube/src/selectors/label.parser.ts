import { type LabelOperator, LabelRequirement } from './label.requirement.js';
import { labelKeyFaults } from './label.validation.js';
import { SelectorError } from './selector.error.js';

/** Parses the text of a label selector into its requirements, in the order of their keys. */
export class LabelParser {
  private readonly tokens: LabelToken[];
  private position = 0;

  constructor(text: string) {
    this.tokens = scanLabelSelector(text);
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.peek().type === 'end') return requirements;
    if (!this.startsRequirement()) this.fail(this.peek(), "!, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.requirement());
      const token = this.next();
      if (token.type === 'end') break;
      if (token.type !== ',') this.fail(token, "',' or 'end of string'");
      if (!this.startsRequirement()) this.fail(this.peek(), "identifier after ','");
    }
    return requirements.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  }

  private requirement(): LabelRequirement {
    try {
      const absent = this.peek().type === '!';
      if (absent) this.next();
      const key = this.key();
      const following = this.peek().type;
      if (absent || following === 'end' || following === ',') {
        return LabelRequirement.create(key, absent ? '!' : 'exists', []);
      }
      const operator = this.operator();
      const values = operator === 'in' || operator === 'notin' ? this.valueList() : [this.exactValue()];
      return LabelRequirement.create(key, operator, [...new Set(values)].sort());
    } catch (error) {
      throw error instanceof SelectorError ? new SelectorError(`unable to parse requirement: ${error.message}`) : error;
    }
  }

  private key(): string {
    const token = this.next();
    if (!isWord(token)) this.fail(token, 'identifier');
    const faults = labelKeyFaults(token.text);
    // The real server writes `<nil>` where the path of the key would be.
    if (faults.length)
      throw new SelectorError(`<nil>: Invalid value: ${JSON.stringify(token.text)}: ${faults.join('; ')}`);
    return token.text;
  }

  private operator(): LabelOperator {
    const token = this.next();
    switch (token.type) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
      case '>':
      case '<':
        return token.type;
      default:
        return this.fail(token, 'in, notin, =, ==, !=, gt, lt');
    }
  }

  private valueList(): string[] {
    const opening = this.next();
    if (opening.type !== '(') throw new SelectorError(`found '${opening.text}' expected: '('`);
    const values: string[] = [];
    let expectsValue = true;
    for (;;) {
      const token = this.next();
      if (isWord(token) && expectsValue) {
        values.push(token.text);
        expectsValue = false;
      } else if (token.type === ',') {
        if (expectsValue) values.push('');
        expectsValue = true;
      } else if (token.type === ')') {
        if (expectsValue) values.push('');
        return values;
      } else if (!expectsValue) {
        this.fail(token, "',' or ')'");
      } else {
        this.fail(token, values.length ? "',', or identifier" : "',', ')' or identifier");
      }
    }
  }

  private exactValue(): string {
    const { type } = this.peek();
    if (type === 'end' || type === ',') return '';
    const token = this.next();
    return isWord(token) ? token.text : this.fail(token, 'identifier');
  }

  private startsRequirement(): boolean {
    return isWord(this.peek()) || this.peek().type === '!';
  }

  private peek(): LabelToken {
    return this.tokens[this.position];
  }

  private next(): LabelToken {
    const token = this.tokens[this.position];
    if (token.type !== 'end') this.position++;
    return token;
  }

  private fail(token: LabelToken, expected: string): never {
    throw new SelectorError(`found '${token.text}', expected: ${expected}`);
  }
}

/** Whether a token is a word; `in` and `notin` are operators only where one is expected. */
function isWord({ type }: LabelToken): boolean {
  return type === 'identifier' || type === 'in' || type === 'notin';
}

/** A token of a label selector; the end is a token too. */
interface LabelToken {
  readonly type: 'identifier' | 'end' | ')' | '(' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'in' | 'notin';
  readonly text: string;
}

/** Splits a label selector into its tokens. */
function scanLabelSelector(text: string): LabelToken[] {
  const tokens: LabelToken[] = [];
  const pattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+))/y;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, symbol, word] = match;
    if (symbol !== undefined) {
      tokens.push({ type: symbol as LabelToken['type'], text: symbol });
    } else {
      tokens.push({ type: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    }
  }
  tokens.push({ type: 'end', text: '' });
  return tokens;
}
