import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import type { KubeObject } from 'nestjs-kopf';
import type { GeneratedObject } from '../output/yaml.format.js';

const API_VERSION = 'monitoring.coreos.com/v1';

/** The parts of a file of rules that a PrometheusRule has, too. */
interface RuleFile {
  readonly groups: readonly object[];
}

/** Makes what the Prometheus operator needs: where the metrics are, and the alerts about them. */
export function createMonitoring(
  metadata: KubeObject['metadata'] & object,
  labels: Readonly<Record<string, string>>,
  path: string,
): readonly GeneratedObject[] {
  const endpoints = [{ port: 'http', path }];
  const spec = { selector: { matchLabels: labels }, endpoints };
  return [
    {
      object: { apiVersion: API_VERSION, kind: 'ServiceMonitor', metadata, spec },
      comment: 'For the Prometheus operator.',
    },
    {
      object: { apiVersion: API_VERSION, kind: 'PrometheusRule', metadata, spec: readRules() },
      comment: 'The alerts of the package, whose runbooks are docs/runbooks.md; adapt their limits to your operator.',
    },
  ];
}

/** Reads the rules that are published with this package. */
function readRules(): RuleFile {
  const root = dirname(createRequire(import.meta.url).resolve('nestjs-kopf/package.json'));
  const { groups } = load(readFileSync(join(root, 'monitoring', 'alerts.yaml'), 'utf8')) as RuleFile;
  return { groups };
}
