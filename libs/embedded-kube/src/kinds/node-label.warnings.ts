import { labelValue } from '../resources/name.rules.js';
import { itemsOf, textOf, textsOf, type Values } from './validation/field.report.js';

/** The labels of nodes that have newer names, with the messages about them. */
export const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  'app.kubernetes.io/created-by': 'deprecated since v1.9',
  'scheduler.alpha.kubernetes.io/preferAvoidPods': 'deprecated since v1.22; use Taints and Tolerations instead',
  'node-role.kubernetes.io/master': 'use "node-role.kubernetes.io/control-plane" instead',
};

/**
 * Warns of such labels in a term that selects nodes.
 *
 * @param checksValues whether to warn, too, of values that no label can have, where the term is not refused for them
 */
export function warnOfTerm(term: Values, path: string, checksValues = false): readonly string[] {
  return itemsOf(term['matchExpressions']).flatMap(({ key, values }, index) => {
    const at = `${path}.matchExpressions[${index}]`;
    const name = textOf(key);
    const found = OLD_LABELS[name] ? [`${at}.key: ${name} is ${OLD_LABELS[name]}`] : [];
    if (!checksValues) return found;
    const wrong = textsOf(values).flatMap((value, place) =>
      labelValue(value).map((problem) => `${at}.values[${place}]: ${value} is invalid, ${problem}`),
    );
    return [...found, ...wrong];
  });
}
