import type { Draft } from '../../../resources/kube-object.js';
import { label, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { countOf, type FieldReport, itemsOf, textOf } from '../field.report.js';
import { validateAddress } from '../text.rules.js';
import { validateEndpointAddress } from './endpoint-slice.validation.js';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateEndpoints(report: FieldReport, object: Draft): void {
  for (const [index, subset] of itemsOf(object['subsets']).entries()) {
    const path = `subsets[${index}]`;
    const ports = itemsOf(subset['ports']);
    if (countOf(subset['addresses']) + countOf(subset['notReadyAddresses']) === 0) {
      report.required(path, 'must specify `addresses` or `notReadyAddresses`');
    }
    for (const field of ['addresses', 'notReadyAddresses']) {
      for (const [position, { ip, hostname, nodeName }] of itemsOf(subset[field]).entries()) {
        const at = `${path}.${field}[${position}]`;
        validateAddress(report, `${at}.ip`, ip);
        if (hostname) report.named(`${at}.hostname`, hostname, label);
        if (nodeName !== undefined) report.named(`${at}.nodeName`, nodeName, subdomain);
        validateEndpointAddress(report, `${at}.ip`, textOf(ip));
      }
    }
    for (const [position, port] of ports.entries()) {
      const at = `${path}.ports[${position}]`;
      if (ports.length > 1 && !port['name']) report.required(`${at}.name`);
      else if (port['name']) report.named(`${at}.name`, port['name'], label);
      report.port(`${at}.port`, port['port'] ?? 0);
      report.oneOfRequired(`${at}.protocol`, port['protocol'], PROTOCOLS);
      if (port['appProtocol'] !== undefined) report.named(`${at}.appProtocol`, port['appProtocol'], qualifiedName);
    }
  }
}
