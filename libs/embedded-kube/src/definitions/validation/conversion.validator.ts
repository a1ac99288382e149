import { isMapping, mapping } from '../../common/json.values.js';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '../../errors/field.error.js';
import { label1035, subdomain } from '../../resources/name.rules.js';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** Checks how objects are converted between the versions of a definition. */
export function validateConversion(conversion: unknown, path: string): FieldError[] {
  if (!isMapping(conversion)) return [];
  const { strategy, webhook } = conversion;
  const errors: FieldError[] = [];
  if (!strategy) errors.push(requiredField(`${path}.strategy`));
  else if (strategy !== 'None' && strategy !== 'Webhook') {
    errors.push(unsupportedField(`${path}.strategy`, strategy, ['None', 'Webhook']));
  }
  const { clientConfig, conversionReviewVersions } = mapping(webhook);
  const versions = Array.isArray(conversionReviewVersions) ? (conversionReviewVersions as unknown[]) : [];
  if (strategy === 'Webhook') {
    return [
      ...errors,
      ...checkClient(clientConfig, path),
      ...checkVersions(versions, `${path}.conversionReviewVersions`),
    ];
  }
  const rule = 'should not be set when strategy is not set to Webhook';
  if (isMapping(clientConfig)) errors.push(forbiddenField(`${path}.webhookClientConfig`, rule));
  if (versions.length > 0) errors.push(forbiddenField(`${path}.conversionReviewVersions`, rule));
  return errors;
}

function checkClient(config: unknown, parent: string): FieldError[] {
  const path = `${parent}.webhookClientConfig`;
  if (!isMapping(config)) return [requiredField(path, 'required when strategy is set to Webhook')];
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  return url === undefined ? checkService(mapping(service), `${path}.service`) : checkUrl(String(url), `${path}.url`);
}

const URL_FORM = '; desired format: https://host[/path]';

function checkUrl(text: string, path: string): FieldError[] {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return [
      requiredField(path, `url must be a valid URL: parse ${JSON.stringify(text)}: invalid URI for request${URL_FORM}`),
    ];
  }
  const errors: FieldError[] = [];
  if (url.protocol !== 'https:') {
    const scheme = JSON.stringify(url.protocol.slice(0, -1));
    errors.push(invalidField(path, scheme.slice(1, -1), `'https' is the only allowed URL scheme${URL_FORM}`));
  }
  if (!url.host) errors.push(invalidField(path, '', `host must be specified${URL_FORM}`));
  if (url.username || url.password) {
    errors.push(invalidField(path, `${url.username}`, 'user information is not permitted in the URL'));
  }
  if (url.hash) errors.push(invalidField(path, url.hash.slice(1), 'fragments are not permitted in the URL'));
  if (url.search) errors.push(invalidField(path, url.search.slice(1), 'query parameters are not permitted in the URL'));
  return errors;
}

/** Checks the service of a webhook. The real server reports a missing name as a missing namespace, and the other way round. */
function checkService(service: Readonly<Record<string, unknown>>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!service['namespace']) errors.push(requiredField(`${path}.name`));
  if (!service['name']) errors.push(requiredField(`${path}.namespace`));
  const port = service['port'] ?? 443;
  if (typeof port !== 'number' || port < 1 || port > 65_535) {
    const rule = 'port is not valid: must be between 1 and 65535, inclusive';
    errors.push(invalidField(`${path}.port`, port, rule));
  }
  const urlPath = service['path'];
  if (typeof urlPath !== 'string') return errors;
  return [...errors, ...servicePathProblems(urlPath).map((problem) => invalidField(`${path}.path`, urlPath, problem))];
}

function servicePathProblems(path: string): string[] {
  if (path === '' || path === '/') return [];
  if (path === '//') return ['segment[0] may not be empty'];
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  const problems = segments.flatMap((segment, index) =>
    segment === ''
      ? [`segment[${index}] may not be empty`]
      : subdomain(segment).map((problem) => `segment[${index}]: ${problem}`),
  );
  return path.startsWith('/') ? problems : ["must start with a '/'", ...problems];
}

function checkVersions(versions: readonly unknown[], path: string): FieldError[] {
  if (versions.length === 0) return [requiredField(path)];
  const errors = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalidField(`${path}[${index}]`, version, 'duplicate version')];
    return label1035(String(version)).map((problem) => invalidField(`${path}[${index}]`, version, problem));
  });
  if (versions.some((version) => REVIEW_VERSIONS.includes(version as string))) return errors;
  return [...errors, invalidField(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
}
