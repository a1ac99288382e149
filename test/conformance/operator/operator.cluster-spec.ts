import { describeOperator } from './operator.suite.js';
import { describeParity } from './parity.suite.js';
import { startTestCluster } from '../../support/clusters/cluster.access.js';

const startCluster = () => startTestCluster({ controllers: false });

describeOperator('an operator on a real control plane', startCluster);
describeParity("an operator with Kopf's behaviour on a real control plane", startCluster);
