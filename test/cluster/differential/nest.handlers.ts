import {
  PermanentError,
  TemporaryError,
  type ChangeContext,
  type EventContext,
  type KubeObject,
  type Patch,
} from 'nestjs-kopf';
import { makeOptions } from './nest.options.js';
import type { BodyPlan, ErrorPlan, PatchPlan } from './program.js';

type HandlerContext = ChangeContext | EventContext;

/** The report of a call to the coordinator; the same as in `python_side.py`. */
function describe(handler: string, context: HandlerContext): object {
  const { name, retry, param, body, meta, spec, status } = context;
  // Of the metadata, Kopf shows only what there is; ours always has labels and annotations.
  const { labels, annotations, finalizers } = body.metadata;
  const metadata = { labels: orNothing(labels), annotations: orNothing(annotations), finalizers };
  const part =
    'type' in context
      ? { event: context.type }
      : { reason: context.reason, old: context.old as unknown, new: context.new as unknown, diff: context.diff };
  return {
    handler,
    name,
    retry,
    param: param as unknown,
    ...part,
    spec: body.spec && { ...spec },
    status: body.status && { ...status },
    metadata,
    deleted: meta.deletionTimestamp !== undefined,
  };
}

function orNothing(fields: Readonly<Record<string, string>> | undefined): object | undefined {
  return fields && Object.keys(fields).length > 0 ? fields : undefined;
}

function isThere({ spec, status, metadata }: KubeObject, { part, key }: PatchPlan): boolean {
  const parts: Record<PatchPlan['part'], unknown> = {
    spec,
    status,
    transformation: spec,
    labels: metadata.labels,
    annotations: metadata.annotations,
  };
  return (parts[part] as Record<string, unknown> | undefined)?.[key] !== undefined;
}

function applyPatch(patch: Patch, { part, key, value }: PatchPlan): void {
  switch (part) {
    case 'spec':
    case 'status':
      patch[part][key] = value;
      break;
    case 'labels':
    case 'annotations':
      patch.metadata[part][key] = value as string | null;
      break;
    case 'transformation':
      patch.transform((body) => {
        const spec = (body.spec ??= {}) as Record<string, unknown[]>;
        const items = (spec[key] ??= []);
        if (!items.includes(value)) items.push(value);
      });
  }
}

function makeError({ kind, message, delay }: ErrorPlan): Error {
  if (kind === 'permanent') return new PermanentError(message);
  if (kind === 'arbitrary') return new Error(message);
  // Kopf takes `None` for a delay, which plans write as `null`.
  return new TemporaryError(message, delay === undefined ? {} : { delay: delay as number });
}

/** A handler or a sub-handler of the plan. The coordinator holds its request for as long as the call is to last. */
export function makeFunction(url: string, path: string, plan: BodyPlan) {
  return async (context: HandlerContext): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(describe(path, context)) });
    await answer.arrayBuffer();
    const attempt = plan.attempts[Math.min(context.retry, plan.attempts.length - 1)];
    for (const each of attempt.patches) {
      if (!each.once || !isThere(context.body, each)) applyPatch(context.patch, each);
    }
    if ('subhandler' in context) {
      for (const { id, options, body } of plan.children) {
        context.subhandler(id, makeFunction(url, `${path}/${id}`, body), makeOptions(options));
      }
      if (plan.executes) await context.execute();
    }
    if (attempt.error) throw makeError(attempt.error);
    return attempt.result;
  };
}
