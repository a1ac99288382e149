/**
 * A plugin of Nest's compiler, `"plugins": ["nestjs-kopf"]` in `nest-cli.json`: the documentation of classes and properties becomes the
 * descriptions of CRDs.
 *
 * @module nestjs-kopf/plugin
 */

import ts from 'typescript';
import { createCommentTransformer, type CommentTransformer } from './comment.transformer.js';

export { createCommentTransformer, type CommentTransformer };

/** Called by Nest's compiler for each build. */
export function before(): CommentTransformer {
  return createCommentTransformer(ts);
}
export { addDeclaredComments } from './declared.comments.js';
