import { isIP } from 'node:net';
import { maskAddress, readAddress, writeAddress } from '../../../common/network.address.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { validateConditions } from '../condition.validation.js';
import {
  MOST_ITEMS,
  requestNames,
  validateConfiguration,
  validateObjectText,
  validateReference,
  validateReferences,
} from './device.validation.js';
import { type FieldReport, isSameContent, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateNodeSelector } from '../selector.validation.js';
import { addressOf } from '../text.rules.js';
import { validateDriverName } from '../storage/volume-source.rules.js';

const MOST = { consumers: 256, configurations: 64, bindingConditions: 4, conditions: 8, addresses: 16 };
const LONGEST = { pool: 253, data: 10 * 1024, interfaceName: 256, hardwareAddress: 128 };

const UNUSUAL =
  'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
const IDENTITY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Removes the statuses of devices that are not allocated any more. */
export function dropReleasedDevices(draft: Draft, previous: KubeObject): void {
  const status = structOf(draft['status']);
  const devices = itemsOf(status?.['devices']);
  if (!status || devices.length === 0) return;
  const now = allocatedIn(status);
  const released = [...allocatedIn(structOf(previous['status']) ?? {})].filter((key) => !now.has(key));
  const { devices: _, ...rest } = status;
  const kept = devices.filter((device) => !released.includes(deviceKey(device)));
  draft['status'] = { ...rest, ...(kept.length > 0 && { devices: kept }) };
}

/** Checks the status that the scheduler and the drivers of devices write. An allocation never changes. */
export function validateClaimStatus(report: FieldReport, object: Draft, previous: KubeObject): void {
  const status = structOf(object['status']) ?? {};
  const old = structOf(previous['status']) ?? {};
  const { allocation, reservedFor, devices } = status;
  const known = requestNames(structOf(structOf(object['spec'])?.['devices']) ?? {});
  const consumers = itemsOf(reservedFor);
  validateConsumers(report, consumers);
  validateDevices(report, itemsOf(devices), allocatedIn(status));
  if (consumers.length > 0 && !structOf(allocation)) {
    report.forbidden('status.reservedFor', 'may not be specified when `allocated` is not set');
  } else if (object.metadata.deletionTimestamp) {
    const before = itemsOf(old['reservedFor']);
    const isNew = consumers.some((each) => !before.some((other) => isSameContent(each, other)));
    const rule = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    if (isNew) report.forbidden('status.reservedFor', rule);
  }
  const result = structOf(allocation);
  if (!result) return;
  if (!structOf(old['allocation'])) validateAllocation(report, result, known);
  else if (!isSameContent(result, old['allocation'])) report.invalid('status.allocation', result, 'field is immutable');
}

function validateConsumers(report: FieldReport, consumers: readonly Values[]): void {
  const path = 'status.reservedFor';
  if (consumers.length > MOST.consumers) return report.tooMany(path, consumers.length, MOST.consumers);
  for (const [index, consumer] of consumers.entries()) {
    for (const field of ['resource', 'name', 'uid']) report.requiredText(`${path}[${index}].${field}`, consumer[field]);
  }
  reportRepeated(
    report,
    path,
    consumers,
    ({ uid }) => textOf(uid),
    ({ uid }) => uid,
  );
}

function validateAllocation(report: FieldReport, { devices, nodeSelector }: Values, known: ReadonlySet<string>): void {
  const path = 'status.allocation.devices';
  const { results, config } = structOf(devices) ?? {};
  const [items, configurations] = [itemsOf(results), itemsOf(config)];
  if (items.length > MOST_ITEMS) report.tooMany(`${path}.results`, items.length, MOST_ITEMS);
  for (const [index, item] of items.entries()) validateResult(report, `${path}.results[${index}]`, item, known);
  const { length } = configurations;
  if (length > MOST.configurations) report.tooMany(`${path}.config`, length, MOST.configurations);
  for (const [index, each] of configurations.entries()) {
    const at = `${path}.config[${index}]`;
    report.oneOfRequired(`${at}.source`, each['source'], ['FromClaim', 'FromClass']);
    validateReferences(report, `${at}.requests`, textsOf(each['requests']), known);
    validateConfiguration(report, at, each);
  }
  const selector = structOf(nodeSelector);
  if (selector) validateNodeSelector(report, 'status.allocation.nodeSelector', selector);
}

function validateResult(report: FieldReport, path: string, result: Values, known: ReadonlySet<string>): void {
  validateReference(report, `${path}.request`, textOf(result['request']), known);
  validateIdentity(report, path, result);
  validateBinding(report, path, textsOf(result['bindingConditions']), textsOf(result['bindingFailureConditions']));
  validateShare(report, `${path}.shareID`, result['shareID']);
}

function validateShare(report: FieldReport, path: string, uid: unknown): void {
  const text = textOf(uid);
  if (uid === undefined || IDENTITY.test(text)) return;
  const isLong = [32, 36, 38, 45].includes(text.length);
  const isUnusual = isLong && /^(urn:uuid:|\{)?[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\}?$/i.test(text);
  const problem = isLong ? 'invalid UUID format' : `invalid UUID length: ${text.length}`;
  report.invalid(path, text, isUnusual ? UNUSUAL : `error validating uid: ${problem}`);
}

function validateIdentity(report: FieldReport, path: string, { driver, pool, device }: Values): void {
  validateDriverName(report, `${path}.driver`, driver);
  if (report.requiredText(`${path}.pool`, pool)) {
    const name = textOf(pool);
    if (name.length > LONGEST.pool) report.tooLong(`${path}.pool`, LONGEST.pool);
    for (const part of name.split('/')) report.named(`${path}.pool`, part, subdomain);
  }
  report.named(`${path}.device`, device, label);
}

function validateBinding(
  report: FieldReport,
  path: string,
  wanted: readonly string[],
  failed: readonly string[],
): void {
  const lists = [
    ['bindingConditions', wanted],
    ['bindingFailureConditions', failed],
  ] as const;
  for (const [field, names] of lists) {
    if (names.length > MOST.bindingConditions) report.tooMany(`${path}.${field}`, names.length, MOST.bindingConditions);
    for (const [index, name] of names.entries()) report.named(`${path}.${field}[${index}]`, name, qualifiedName);
  }
  for (const [field, names] of lists) {
    for (const [index, name] of names.entries()) {
      const at = `${path}.${field}[${index}]`;
      if (names.indexOf(name) < index) report.duplicate(at, name);
      if (names === failed && wanted.includes(name)) {
        report.invalid(at, name, 'bindingFailureConditions must not overlap with bindingConditions');
      }
    }
  }
  const rule = 'bindingConditions are required to use bindingFailureConditions';
  if (wanted.length === 0 && failed.length > 0) report.invalid(`${path}.bindingConditions`, null, rule);
  const other = 'bindingFailureConditions are required to use bindingConditions';
  if (failed.length === 0 && wanted.length > 0) report.invalid(`${path}.bindingFailureConditions`, null, other);
}

function validateDevices(report: FieldReport, devices: readonly Values[], allocated: ReadonlySet<string>): void {
  const path = 'status.devices';
  for (const [index, device] of devices.entries()) {
    const at = `${path}[${index}]`;
    validateIdentity(report, at, device);
    validateShare(report, `${at}.shareID`, device['shareID']);
    if (!allocated.has(deviceKey(device))) {
      report.invalid(at, identityOf(device), 'must be an allocated device in the claim');
    }
    const conditions = itemsOf(device['conditions']);
    if (conditions.length > MOST.conditions) report.tooMany(`${at}.conditions`, conditions.length, MOST.conditions);
    validateConditions(report, `${at}.conditions`, conditions);
    const { data, networkData } = device;
    if (data !== undefined && data !== null) validateObjectText(report, `${at}.data`, data, LONGEST.data);
    const network = structOf(networkData);
    if (network) validateNetwork(report, `${at}.networkData`, network);
  }
  reportRepeated(report, path, devices, deviceKey, identityOf);
}

function validateNetwork(report: FieldReport, path: string, network: Values): void {
  for (const field of ['interfaceName', 'hardwareAddress'] as const) {
    if (Buffer.byteLength(textOf(network[field])) > LONGEST[field]) report.tooLong(`${path}.${field}`, LONGEST[field]);
  }
  const addresses = textsOf(network['ips']);
  if (addresses.length > MOST.addresses) return report.tooMany(`${path}.ips`, addresses.length, MOST.addresses);
  for (const [index, text] of addresses.entries()) {
    const at = `${path}.ips[${index}]`;
    const usual = usualForm(text);
    if (usual === undefined) {
      report.invalid(at, text, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)');
    } else if (usual !== text) report.invalid(at, text, `must be in canonical form ("${usual}")`);
  }
  for (const [index, text] of addresses.entries()) {
    if (addresses.indexOf(text) < index) report.duplicate(`${path}.ips[${index}]`, text);
  }
}

/** Returns an address with the length of its network, as it is usually written. */
function usualForm(text: string): string | undefined {
  const [given = '', bits = '', ...more] = text.split('/');
  const address = addressOf(given) ?? '';
  const family = isIP(address);
  if (family === 0 || more.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    return undefined;
  }
  return `${writeAddress(maskAddress(readAddress(address), 128))}/${Number(bits)}`;
}

function reportRepeated(
  report: FieldReport,
  path: string,
  items: readonly Values[],
  keyOf: (item: Values) => string,
  shown: (item: Values) => unknown,
): void {
  const keys = items.map(keyOf);
  for (const [index, item] of items.entries()) {
    if (keys.indexOf(keys[index]!) < index) report.duplicate(`${path}[${index}]`, shown(item));
  }
}

/** Returns a device as the real server shows it. */
function identityOf({ driver, pool, device, shareID = null }: Values): object {
  return { DeviceID: { Driver: driver, Pool: pool, Device: device }, ShareID: shareID };
}

function allocatedIn(status: Values): Set<string> {
  const results = structOf(structOf(status['allocation'])?.['devices'])?.['results'];
  return new Set(itemsOf(results).map(deviceKey));
}

function deviceKey({ driver, pool, device, shareID }: Values): string {
  return [driver, pool, device, ...(shareID ? [shareID] : [])].map(textOf).join('/');
}
