/// Output of programs of Debian 12 in a pipe, cut to a few lines.
enum ProgramOutput {
    static let df = #"""
        Filesystem              1K-blocks     Used Available Use% Mounted on
        devtmpfs                 12334460        0  12334460   0% /dev
        tmpfs                    24684084        0  24684084   0% /dev/shm
        /dev/vda                264212084 22056796  77008816  23% /
        server.example:/exports         4        0         4   0% /srv/my files

        """#

    static let ps = #"""
        USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
        root         1  0.4  0.0  51700 20080 ?        S<Ll 17:48   0:11 /sbin/init splash --log-level=info
        root         2  0.0  0.0      0     0 ?        S    17:48   0:00 [kthreadd]
        root         3  0.0  0.0      0     0 ?        S    17:48   0:00 [pool_workqueue_release]
        root     11008  0.0  0.0   8548  4600 ?        R    18:31   0:00 ps aux

        """#

    static let psFull = #"""
        UID        PID  PPID  C STIME TTY          TIME CMD
        root         1     0  0 17:48 ?        00:00:11 /sbin/init splash --log-level=info --unit
        root         2     0  0 17:48 ?        00:00:00 [kthreadd]
        root         3     2  0 17:48 ?        00:00:00 [pool_workqueue_release]
        root         4     2  0 17:48 ?        00:00:00 [kworker/R-rcu_gp]

        """#

    static let systemctl = #"""
          UNIT                                 LOAD      ACTIVE   SUB       DESCRIPTION
        ● dev-hugepages.mount                  masked    inactive dead      dev-hugepages.mount
        ● dev-mqueue.mount                     masked    inactive dead      dev-mqueue.mount
          -.mount                              loaded    active   mounted   Root Mount
          systemd-journald.service             loaded    active   running   Journal Service

        LOAD   = Reflects whether the unit definition was properly loaded.
        ACTIVE = The high-level unit activation state, i.e. generalization of SUB.
        SUB    = The low-level unit activation state, values depend on unit type.
        118 loaded units listed.
        To show all installed unit files use 'systemctl list-unit-files'.

        """#

    static let ls = #"""
        total 112
        lrwxrwxrwx   1 root root     7 May 20  2025 bin -> usr/bin
        drwxr-xr-x   2 root root  4096 May  9  2025 boot
        -rw-r--r--   1 root root   512 Nov 22 17:48 container_info.json
        drwxr-xr-x   6 root root  2200 Nov 22 17:48 dev
        drwxr-xr-x  72 root root  4096 Nov 22 17:51 etc

        """#

    static let lsISO = #"""
        total 80
        drwxr-xr-x   2 root root 36864 2026-11-22 17:51 bin
        drwxr-xr-x   2 root root  4096 2026-11-22 17:48 etc
        drwxr-xr-x   2 root root  4096 2025-05-09 14:50 games

        """#

    static let lsDevices = #"""
        total 0
        crw-r--r-- 1 root root  10, 235 Nov 20 21:50 autofs
        crw------- 1 root root  10, 234 Nov 20 21:50 btrfs-control
        crw------- 1 root root   5,   1 Nov 20 21:50 console
        lrwxrwxrwx 1 root root       13 Nov 22 17:48 fd -> /proc/self/fd

        """#

    static let lsblk = #"""
        NAME  MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
        zram0 253:0    0    0B  0 disk 
        vda   254:0    0  256G  0 disk /

        """#

    static let free = #"""
                       total        used        free      shared  buff/cache   available
        Mem:        24684084      561240    22511264        8872     1931296    24122844
        Swap:              0           0           0

        """#

    /// From Docker's reference of `docker ps`.
    static let docker = #"""
        CONTAINER ID   IMAGE                        COMMAND                CREATED              STATUS              PORTS               NAMES
        4c01db0b339c   ubuntu:22.04                 bash                   17 seconds ago       Up 16 seconds       3300-3310/tcp       webapp
        d7886598dbe2   crosbymichael/redis:latest   /redis-server --dir    33 minutes ago       Up 33 minutes       6379/tcp            redis,webapp/db

        """#

    /// From a spreadsheet in a locale with decimal commas.
    static let semicolons = "name;preis;anteil\r\n\"Milch; frisch\";1,09;0,5\r\nBrot;3;\r\n"
}
