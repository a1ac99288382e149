import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const LOG_LEVELS = ['error', 'warn', 'log', 'debug', 'verbose'] as const;

/** A call that writes a log line, as the sources have it. */
export interface LogCall {
  readonly level: string;
  /** The folder of the call, which is the part of the library that it is about. */
  readonly folder: string;
  /** The message, with `…` for what is filled in. */
  readonly message: string;
}

/** Those files pass on lines of others, or write none of an operator. */
const OTHERS = /\.(spec|bench)\.ts$|^common\/|^testing\/|^schematics\/|^events\/object\.logger\.ts$/;

/** Finds all calls that write log lines in the sources of a library. Messages that are wholly filled in, such as those of errors, are left out. */
export function findLogCalls(sources: string): LogCall[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.filter((file) => !OTHERS.test(file)).flatMap((file) => findCallsIn(sources, file));
}

function findCallsIn(sources: string, file: string): LogCall[] {
  const source = ts.createSourceFile(file, readFileSync(join(sources, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const calls: LogCall[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) calls.push(...readCall(node, source, file));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

function readCall(
  { expression, arguments: [message] }: ts.CallExpression,
  source: ts.SourceFile,
  file: string,
): LogCall[] {
  if (!ts.isPropertyAccessExpression(expression) && !ts.isElementAccessExpression(expression)) return [];
  if (!message || !/logger\b/i.test(expression.expression.getText().split('.').at(-1)!)) return [];
  const texts = textsOf(message, source)
    .map((text) => text.replace(/…+/g, '…'))
    .filter((text) => text !== '…');
  const folder = file.includes('/') ? file.split('/')[0] : '.';
  return levelsOf(expression, source).flatMap((level) => texts.map((text) => ({ level, folder, message: text })));
}

function levelsOf(callee: ts.PropertyAccessExpression | ts.ElementAccessExpression, source: ts.SourceFile): string[] {
  const names = ts.isPropertyAccessExpression(callee) ? [callee.name.text] : textsOf(callee.argumentExpression, source);
  return names.filter((name) => (LOG_LEVELS as readonly string[]).includes(name));
}

/** All texts that an expression can be, as far as the file tells. */
function textsOf(node: ts.Expression, source: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isArrowFunction(node) && ts.isExpression(node.body)) return textsOf(node.body, source);
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression, source);
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue, source), ...textsOf(node.whenFalse, source)];
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [textsOf(node.left, source), textsOf(node.right, source)];
    if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return [...left, ...right];
    return left.flatMap((one) => right.map((other) => one + other));
  }
  const declared = ts.isIdentifier(node) ? findConstant(node.text, source) : undefined;
  return declared ? textsOf(declared, source) : ['…'];
}

/** The value of a constant that the file declares once. */
function findConstant(name: string, source: ts.SourceFile): ts.Expression | undefined {
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer && node.name.getText() === name)
      found.push(node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.length === 1 ? found[0] : undefined;
}
