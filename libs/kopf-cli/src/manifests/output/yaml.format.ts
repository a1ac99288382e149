import { dump } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';
import type { PolicyRule } from '../rbac/policy.rules.js';

/** An object of a manifest, with what is said about it in comments. */
export interface GeneratedObject {
  readonly object: KubeObject;
  /** The purpose of the object. */
  readonly comment?: string;
  /** The reasons of the rules of a role, in their order. */
  readonly reasons?: readonly string[];
}

/** The width of lines, beyond which comments and lists are broken. */
const WIDTH = 110;

/** Formats objects as one file of YAML, with their comments. */
export function formatManifest(objects: readonly GeneratedObject[]): string {
  return objects.map(formatObject).join('---\n');
}

/** Formats a value as YAML in the style of the manifests. */
export function formatYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true });
}

/** Formats a comment, in as many lines as it takes. */
export function formatComment(text: string, indentation = ''): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${indentation}# ${line}\n`).join('');
}

function formatObject({ object, comment, reasons }: GeneratedObject): string {
  const heading = comment === undefined ? '' : formatComment(comment);
  if (!reasons) return heading + formatYaml(object);
  const { rules, ...rest } = object as KubeObject & { readonly rules: readonly PolicyRule[] };
  const items = rules.map((rule, index) => formatComment(reasons[index], '  ') + formatRule(rule));
  return `${heading}${formatYaml(rest)}rules:\n${items.join('')}`;
}

function formatRule(rule: PolicyRule): string {
  const lines = Object.entries(rule as unknown as Record<string, readonly string[]>).map(([key, values]) => {
    const flow = `${key}: ${dump(values, { flowLevel: 0, lineWidth: -1 }).trim()}`;
    if (flow.length <= WIDTH) return `    ${flow}\n`;
    return `    ${key}:\n${values.map((value) => `      - ${dump(value).trim()}\n`).join('')}`;
  });
  return `  - ${lines.join('').slice(4)}`;
}
