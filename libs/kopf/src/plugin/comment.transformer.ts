// plugin: a plugin of Nest's compiler, which keeps the documentation of classes, so that CRDs have descriptions without @Description().
// It only reads and adds to what is compiled: without it, programs do the same.
// May import: everything but other leaves; of the compiler, types only, as it is that of the project.

import type TypeScript from 'typescript';
import { SOURCE_COMMENTS } from '../custom-resources/source.comments.js';
import { descriptionOf } from './declared.comments.js';

/** A transformation of source files, as the compiler takes it. */
export type CommentTransformer = TypeScript.TransformerFactory<TypeScript.SourceFile>;

/**
 * Makes the transformation that adds the documentation of classes with decorators, and of their properties, to the classes.
 *
 * @param ts the compiler that is to use it.
 */
export function createCommentTransformer(ts: typeof TypeScript): CommentTransformer {
  return (context) => (file) => {
    const text = file.text;
    const visit = (node: TypeScript.Node): TypeScript.Node => {
      const visited = ts.visitEachChild(node, visit, context);
      if (!ts.isClassDeclaration(node) || !ts.isClassDeclaration(visited)) return visited;
      const comments = commentsOf(ts, node, text);
      return Object.keys(comments).length > 0 ? withComments(ts, visited, comments) : visited;
    };
    return ts.visitEachChild(file, visit, context);
  };
}

function commentsOf(
  ts: typeof TypeScript,
  node: TypeScript.ClassDeclaration,
  text: string,
): Readonly<Record<string, string>> {
  const comments: Record<string, string> = {};
  const properties = node.members.filter(ts.isPropertyDeclaration).filter((member) => isDecorated(ts, member));
  if (properties.length === 0 && !isDecorated(ts, node)) return comments;
  const add = (name: string, found: TypeScript.Node): void => {
    const comment = readComment(ts, found, text);
    if (comment) comments[name] = comment;
  };
  add('', node);
  for (const property of properties)
    if (ts.isIdentifier(property.name) || ts.isStringLiteral(property.name)) add(property.name.text, property);
  return comments;
}

function isDecorated(ts: typeof TypeScript, node: TypeScript.Node): boolean {
  return ts.canHaveDecorators(node) && (ts.getDecorators(node)?.length ?? 0) > 0;
}

/** Reads the documentation before a node. */
function readComment(ts: typeof TypeScript, node: TypeScript.Node, text: string): string {
  const ranges = ts.getLeadingCommentRanges(text, node.pos) ?? [];
  const comment = ranges.map(({ pos, end }) => text.slice(pos, end)).findLast((each) => each.startsWith('/**'));
  return comment === undefined ? '' : descriptionOf(comment);
}

/** Adds `static [Symbol.for('…')] = { … }`, which needs no import. */
function withComments(
  ts: typeof TypeScript,
  node: TypeScript.ClassDeclaration,
  comments: Readonly<Record<string, string>>,
): TypeScript.ClassDeclaration {
  const { factory } = ts;
  const symbol = factory.createPropertyAccessExpression(factory.createIdentifier('Symbol'), 'for');
  const key = factory.createCallExpression(symbol, undefined, [factory.createStringLiteral(SOURCE_COMMENTS)]);
  const entries = Object.entries(comments).map(([name, comment]) =>
    factory.createPropertyAssignment(factory.createStringLiteral(name), factory.createStringLiteral(comment)),
  );
  const member = factory.createPropertyDeclaration(
    [factory.createModifier(ts.SyntaxKind.StaticKeyword)],
    factory.createComputedPropertyName(key),
    undefined,
    undefined,
    factory.createObjectLiteralExpression(entries),
  );
  const { modifiers, name, typeParameters, heritageClauses, members } = node;
  return factory.updateClassDeclaration(node, modifiers, name, typeParameters, heritageClauses, [...members, member]);
}
