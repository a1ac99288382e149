/** The virtual time of both libraries' tests: the specs of embedded-kube take it from here, so that they import nothing of nestjs-kopf. */
export { VirtualClock } from '../../../libs/kopf/src/testing/time/virtual.clock.js';
