import type { CallNode, CelNode, MapEntryNode, StructFieldNode } from './cel.node.js';
import { balanced, call, qualifiedName } from './cel.node.js';
import { CelSyntaxError } from './cel.issue.js';
import { type CelToken, numberValue, tokenize } from './cel.lexer.js';
import { expandBinding, expandMacro } from './cel.macros.js';
import { DepthMeter } from './depth.meter.js';

/** The operators by how tightly they bind, loosest first. */
const BINARY: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>=', '>', '==', '!=', 'in'],
  ['+', '-'],
  ['*', '/', '%'],
];
const RELATION = 2;

const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const KEYWORDS = new Set(['in', 'true', 'false', 'null']);

const STARTERS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The deepest nesting of expressions, so that none overflows the stack. */
const MAX_DEPTH = 250;
/** The real server's limit of an expression's length, in code points. */
const MAX_LENGTH = 100_000;

/**
 * Parses an expression, and expands the macros in it.
 *
 * @param bindings whether there is the macro `cel.bind`
 * @throws CelSyntaxError
 */
export function parseCel(expression: string, bindings = false): CelNode {
  if ([...expression].length > MAX_LENGTH) {
    const message = `expression code point size exceeds limit: size: ${[...expression].length}, limit ${MAX_LENGTH}`;
    throw new CelSyntaxError({ message, at: 0 });
  }
  const { tokens, issues } = tokenize(expression);
  let root: CelNode;
  try {
    root = new CelParser(tokens, bindings).parse();
  } catch (error) {
    if (!(error instanceof CelSyntaxError)) throw error;
    throw new CelSyntaxError(...issues, ...error.issues);
  }
  if (issues.length > 0) throw new CelSyntaxError(...issues);
  return root;
}

class CelParser {
  private position = 0;
  private depth = 0;
  private readonly depths = new DepthMeter();

  constructor(
    private readonly tokens: readonly CelToken[],
    private readonly bindings: boolean,
  ) {}

  parse(): CelNode {
    const node = this.expression();
    if (this.next.kind !== 'end') throw this.unexpected(`extraneous input '${this.next.text}' expecting <EOF>`);
    if (this.depths.greatest > MAX_DEPTH) throw new CelSyntaxError({ message: 'max recursion depth exceeded', at: -1 });
    return node;
  }

  private get next(): CelToken {
    return this.tokens[this.position]!;
  }

  private take(): CelToken {
    return this.tokens[this.position++]!;
  }

  private accept(symbol: string): CelToken | undefined {
    const { kind, text } = this.next;
    const matches = text === symbol && (kind === 'symbol' || (kind === 'ident' && symbol === 'in'));
    return matches ? this.take() : undefined;
  }

  private expect(symbol: string, expecting = `'${symbol}'`): CelToken {
    const token = this.accept(symbol);
    if (token) return token;
    const { kind, text } = this.next;
    if (kind === 'end') throw this.unexpected(`missing ${expecting} at '${text}'`);
    throw this.unexpected(`mismatched input '${text}' expecting ${expecting}`);
  }

  private unexpected(message: string, at = this.next.at): CelSyntaxError {
    return new CelSyntaxError({ message: `Syntax error: ${message}`, at });
  }

  private expression(): CelNode {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      const message = `expression recursion limit exceeded: ${MAX_DEPTH}`;
      throw new CelSyntaxError({ message, at: this.next.at });
    }
    const condition = this.binary(0);
    const question = this.accept('?');
    const node = question ? this.conditional(condition, question.at) : condition;
    this.depth -= 1;
    return node;
  }

  private conditional(condition: CelNode, at: number): CelNode {
    const yes = this.binary(0);
    this.expect(':');
    return this.operation('_?_:_', at, [condition, yes, this.expression()]);
  }

  private operation(name: string, at: number, args: readonly CelNode[]): CallNode {
    return this.depths.above(call(name, at, args), args);
  }

  private binary(level: number): CelNode {
    const operators = BINARY[level];
    if (!operators) return this.unary();
    let left = this.binary(level + 1);
    if (level < RELATION) return this.logical(operators[0]!, level, left);
    for (;;) {
      const operator = operators.map((each) => this.accept(each)).find(Boolean);
      if (!operator) return left;
      const right = this.binary(level + 1);
      const name = operator.text === 'in' && level === RELATION ? '@in' : `_${operator.text}_`;
      left = this.operation(name, operator.at, [left, right]);
    }
  }

  private logical(operator: string, level: number, first: CelNode): CelNode {
    const terms = [first];
    const positions: number[] = [];
    for (let found = this.accept(operator); found; found = this.accept(operator)) {
      positions.push(found.at);
      terms.push(this.binary(level + 1));
    }
    return positions.length > 0 ? this.depths.around(balanced(`_${operator}_`, terms, positions), terms) : first;
  }

  private unary(): CelNode {
    const first = this.next;
    const symbol = first.kind === 'symbol' && (first.text === '!' || first.text === '-') ? first.text : undefined;
    if (symbol === undefined) return this.member();
    if (symbol === '-' && this.tokens[this.position + 1]!.kind === 'number') return this.member();
    let count = 0;
    while (this.accept(symbol)) count += 1;
    const operand = this.member();
    if (count % 2 === 0) return operand;
    return this.depths.around(call(symbol === '!' ? '!_' : '-_', first.at, [operand]), [operand]);
  }

  private member(): CelNode {
    let node = this.primary();
    for (;;) {
      const dot = this.accept('.');
      if (dot) {
        node = this.selection(node, dot);
        continue;
      }
      const bracket = this.accept('[');
      if (bracket) {
        const optional = this.accept('?');
        const index = this.expression();
        this.expect(']');
        node = this.operation(optional ? '_[?_]' : '_[_]', bracket.at, [node, index]);
        continue;
      }
      const name = this.next.text === '{' ? qualifiedName(node) : undefined;
      if (name === undefined) return node;
      node = this.struct(name);
    }
  }

  private selection(operand: CelNode, dot: CelToken): CelNode {
    const optional = this.accept('?');
    if (this.next.kind !== 'ident' || KEYWORDS.has(this.next.text)) {
      throw this.unexpected(`mismatched input '${this.next.text}' expecting IDENTIFIER`);
    }
    const field = this.take();
    if (optional) {
      return this.operation('_?._', dot.at, [operand, { kind: 'literal', value: field.text, at: field.at }]);
    }
    const open = this.accept('(');
    if (open) return this.macroOrCall(field.text, open.at, operand, this.args());
    return this.depths.above({ kind: 'select', operand, field: field.text, testOnly: false, at: dot.at }, [operand]);
  }

  private args(): CelNode[] {
    const args: CelNode[] = [];
    if (this.accept(')')) return args;
    do args.push(this.expression());
    while (this.accept(','));
    this.expect(')');
    return args;
  }

  private macroOrCall(name: string, at: number, target: CelNode | undefined, args: readonly CelNode[]): CelNode {
    const bound = this.bindings ? expandBinding(name, at, target, args) : undefined;
    const node = bound ?? expandMacro(name, at, target, args) ?? { kind: 'call', name, at, target, args };
    return this.depths.above(node, [target, ...args]);
  }

  private primary(): CelNode {
    const token = this.next;
    if (token.kind === 'literal') return { kind: 'literal', value: this.take().value!, at: token.at };
    if (token.kind === 'number') return this.number(false, token.at);
    if (token.kind === 'ident') return this.named(token.at);
    if (this.accept('-')) return this.number(true, token.at);
    if (this.accept('.')) return this.named(token.at, '.');
    if (this.accept('(')) {
      const node = this.expression();
      this.expect(')');
      return node;
    }
    if (this.accept('[')) return this.list(token.at);
    if (token.text === '{' && token.kind === 'symbol') return this.map();
    throw this.unexpected(`mismatched input '${token.text}' expecting ${STARTERS}`);
  }

  private number(negative: boolean, at: number): CelNode {
    const { text } = this.take();
    return { kind: 'literal', value: numberValue(text, negative, at), at };
  }

  private named(at: number, prefix = ''): CelNode {
    const { kind, text, at: start } = this.take();
    if (kind !== 'ident') throw this.unexpected(`mismatched input '${text}' expecting IDENTIFIER`, start);
    if (!prefix && text === 'true') return { kind: 'literal', value: true, at };
    if (!prefix && text === 'false') return { kind: 'literal', value: false, at };
    if (!prefix && text === 'null') return { kind: 'literal', value: null, at };
    if (text === 'in') throw this.unexpected(`mismatched input 'in' expecting ${STARTERS}`, start);
    const open = this.accept('(');
    if (open) return this.macroOrCall(text, open.at, undefined, this.args());
    if (RESERVED.has(text)) throw new CelSyntaxError({ message: `reserved identifier: ${text}`, at: start });
    return { kind: 'ident', name: text, at };
  }

  private list(at: number): CelNode {
    const items: CelNode[] = [];
    const optional = new Set<number>();
    while (!this.accept(']')) {
      if (this.accept('?')) optional.add(items.length);
      items.push(this.expression());
      if (!this.accept(',')) {
        this.expect(']');
        break;
      }
    }
    return this.depths.around({ kind: 'list', items, optional, at }, items);
  }

  private map(): CelNode {
    const { at } = this.expect('{');
    const entries: MapEntryNode[] = [];
    this.untilBrace(() => {
      const optional = this.accept('?') !== undefined;
      const key = this.expression();
      const colon = this.expect(':');
      entries.push({ key, value: this.expression(), optional, at: colon.at });
    });
    const parts = entries.flatMap(({ key, value }) => [key, value]);
    return this.depths.around({ kind: 'map', entries, at }, parts);
  }

  private struct(name: string): CelNode {
    const { at } = this.expect('{');
    const fields: StructFieldNode[] = [];
    this.untilBrace(() => {
      const optional = this.accept('?') !== undefined;
      const field = this.take();
      if (field.kind !== 'ident') throw this.unexpected(`mismatched input '${field.text}' expecting '}'`, field.at);
      const colon = this.expect(':');
      fields.push({ name: field.text, value: this.expression(), optional, at: colon.at });
    });
    const parts = fields.map(({ value }) => value);
    return this.depths.around({ kind: 'struct', name, fields, at }, parts);
  }

  private untilBrace(readEntry: () => void): void {
    while (!this.accept('}')) {
      readEntry();
      if (!this.accept(',')) {
        this.expect('}');
        return;
      }
    }
  }
}
