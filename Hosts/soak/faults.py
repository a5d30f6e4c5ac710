"""All faults, by the names that ONLY= takes: each row of the table in Hosts/README.md."""

from etcd_faults import Away, CheckpointKilled, Compaction, Leader, Quota, Restored, SlowSync
from fault import Fault
from host_faults import Clocks, Crowd, Killed, Stopped
from network_faults import Flapping, Minority, OneWay, Watch

ALL = {
    "nothing": Fault, "leader": Leader, "minority": Minority, "oneway": OneWay, "flapping": Flapping, "stopped": Stopped,
    "killed": Killed, "compaction": Compaction, "away": Away, "checkpoint": CheckpointKilled, "slowsync": SlowSync, "quota": Quota,
    "restored": Restored, "watch": Watch, "clocks": Clocks, "crowd": Crowd,
}
