import { startEmbeddedCluster } from '../test.cluster.js';
import { describeOperator } from './operator.suite.js';
import { describeParity } from './parity.suite.js';

describeOperator('an operator on embedded-kube over HTTPS', startEmbeddedCluster);
describeParity("an operator with Kopf's behaviour on embedded-kube over HTTPS", startEmbeddedCluster);
