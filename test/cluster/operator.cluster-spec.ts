import { describeOperator } from '../operator/operator.suite.js';
import { describeParity } from '../operator/parity.suite.js';
import { startTestCluster } from './cluster.access.js';

const startCluster = () => startTestCluster({ controllers: false });

describeOperator('an operator on a real control plane', startCluster);
describeParity("an operator with Kopf's behaviour on a real control plane", startCluster);
