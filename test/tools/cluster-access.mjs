// Requests to the cluster of the current KUBECONFIG, with headers that `kubectl get --raw` cannot set; for the generators beside this file.
import { KubeConfig } from '@kubernetes/client-node';
import { request } from 'node:https';

const config = new KubeConfig();
config.loadFromDefault();

/** Gets a path of the cluster and parses the answer as JSON. */
export async function getJson(path, accept = 'application/json') {
  const { status, text } = await send('GET', path, { accept });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return JSON.parse(text);
}

/** Posts an object and parses the answer as JSON: the object, or a Status. */
export async function postJson(path, body) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return JSON.parse((await send('POST', path, headers, JSON.stringify(body))).text);
}

async function send(method, path, headers, body) {
  const options = { method };
  await config.applyToHTTPSOptions(options);
  options.headers = { ...options.headers, ...headers };
  return new Promise((resolve, reject) => {
    request(new URL(path, config.getCurrentCluster().server), options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    })
      .on('error', reject)
      .end(body);
  });
}

/** Writes a JavaScript literal in the style of the sources: single quotes, keys bare where they can be. */
export function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return /['\n\\]/.test(value) ? JSON.stringify(value) : `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(
    ([key, member]) => `${/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key)}: ${literal(member)}`,
  );
  return members.length ? `{ ${members.join(', ')} }` : '{}';
}
