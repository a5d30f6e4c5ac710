// Puts a server under load, and checks that every message arrives exactly once, in order, at every subscriber.
//
//     LoadGenerator --dialect NAME --socket PATH --server PID [--subscribers N] [--publishers N]
//                   [--window N | --rate N] [--length BYTES] [--seconds T] [--warm-up T] [--core N]
//
// With --window each publisher has at most that many messages that are not answered, and on average no more are on
// their way to a subscriber: with 1, nothing can be joined. The generator then polls without sleeping, so that waking
// it is no part of the server's processor time. With --rate that many messages a second are published in all, whatever
// the server does, and latencies count from when a message was due, so a stall hides nothing.
//
// Prints one JSON object. The exit status is 3 when what arrived is not what was published.
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dialect.h"
#include "samples.h"
#include "stamp.h"
#include "usage.h"

enum { EVENTS_MAX = 1024, READ_LENGTH = 256 << 10, UNFINISHED_MAX = 128 << 10, BURST_MAX = 256 };
static const uint64_t SECOND = 1000000000;

// MARK: - What is asked for

static const struct Dialect *dialect;
static const char *socketPath;
static pid_t server;
static int numberOfSubscribers = 1, numberOfPublishers = 1;
static uint32_t window = 1;
static double rate; // Messages a second in all; 0 for a window.
static size_t contentLength = 200;
static double secondsMeasured = 1, secondsWarmUp = 0.3;
static const double secondsConnecting = 30, secondsDraining = 10;

// MARK: - What has happened

static int poller;
static struct Connection *subscribers, *publishers;
static int numberReady, subscribersLeft;
static uint64_t published, delivered, answered, reads;
static int64_t onTheirWay; // Messages times subscribers.
static uint64_t lost, outOfOrder, refused;
static char firstRefusal[160];
static uint64_t measuredFrom = UINT64_MAX; // Latencies of what was published since.
static struct Samples latencies, answerTimes;

static void addTime(struct Samples *samples, uint64_t since, uint64_t until) {
    if (since >= measuredFrom) addSample(samples, until > since ? until - since : 0);
}

void isReady(struct Connection *connection) {
    if (!connection->isReady) numberReady++;
    connection->isReady = true;
}

static uint64_t timeOfReading; // One look at the clock for all that a read brings.

void isAnswered(struct Connection *publisher) {
    if (!numberUnanswered(publisher)) return isRefused(publisher, "an answer to nothing", 20);
    uint32_t slot = publisher->firstUnanswered++ & publisher->unansweredMask;
    answered++;
    addTime(&answerTimes, publisher->unanswered[slot], timeOfReading);
}

void isDelivered(struct Connection *subscriber, const char *message) {
    struct Stamp stamp = readStamp(message);
    if (stamp.publisher >= (uint32_t)numberOfPublishers) return isRefused(subscriber, message, messageLength);
    uint32_t *expected = &subscriber->expected[stamp.publisher];
    if (stamp.number < *expected) {
        outOfOrder++;
        return;
    }
    // What is missing is not on its way any more.
    lost += stamp.number - *expected;
    onTheirWay -= 1 + (int64_t)(stamp.number - *expected);
    *expected = stamp.number + 1;
    delivered++;
    if (rate > 0) addTime(&latencies, stamp.time, timeOfReading);
}

void isRefused(struct Connection *connection, const char *reason, size_t reasonLength) {
    (void)connection;
    if (refused++) return;
    if (reasonLength >= sizeof firstRefusal) reasonLength = sizeof firstRefusal - 1;
    for (size_t at = 0; at < reasonLength; at++) {
        bool isPlain = reason[at] >= ' ' && reason[at] < 127 && reason[at] != '"' && reason[at] != '\\';
        firstRefusal[at] = isPlain ? reason[at] : ' ';
    }
}

// MARK: - Input and output

static void watch(struct Connection *connection, int operation, uint32_t events) {
    struct epoll_event event = {.events = events, .data.ptr = connection};
    if (epoll_ctl(poller, operation, connection->descriptor, &event)) fail("epoll_ctl: %s", strerror(errno));
}

static void watchForRoom(struct Connection *connection, bool isBlocked) {
    if (connection->isBlocked == isBlocked) return;
    connection->isBlocked = isBlocked;
    watch(connection, EPOLL_CTL_MOD, EPOLLIN | (isBlocked ? EPOLLOUT : 0));
}

static void closeConnection(struct Connection *connection, const char *reason) {
    if (connection->role == PUBLISHER) fail("the server has closed a publisher's connection: %s", reason);
    connection->isGone = true;
    close(connection->descriptor);
    subscribersLeft--;
    for (int at = 0; at < numberOfPublishers; at++)
        onTheirWay -= (int64_t)(publishers[at].next - connection->expected[at]);
}

static void sendOutput(struct Connection *connection) {
    struct Bytes *output = &connection->output;
    while (connection->sent < output->length) {
        const char *rest = output->start + connection->sent;
        size_t length = output->length - connection->sent;
        ssize_t taken = send(connection->descriptor, rest, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken < 0 && errno == EINTR) continue;
        if (taken < 0 && errno == EAGAIN) return watchForRoom(connection, true);
        if (taken < 0) return closeConnection(connection, strerror(errno));
        connection->sent += (size_t)taken;
    }
    output->length = connection->sent = 0;
    watchForRoom(connection, false);
}

static void receiveInput(struct Connection *connection) {
    static char bytes[UNFINISHED_MAX + READ_LENGTH];
    struct Bytes *unfinished = &connection->unfinished;
    if (unfinished->length) memcpy(bytes, unfinished->start, unfinished->length);
    ssize_t count = recv(connection->descriptor, bytes + unfinished->length, READ_LENGTH, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return closeConnection(connection, count < 0 ? strerror(errno) : "end of file");
    timeOfReading = now();
    if (connection->role == SUBSCRIBER) reads++;
    size_t available = unfinished->length + (size_t)count;
    size_t read = dialect->receive(connection, bytes, available);
    if (available - read > UNFINISHED_MAX) fail("a message is too long");
    unfinished->length = 0;
    append(unfinished, bytes + read, available - read);
    // A handler's answers.
    if (connection->output.length && !connection->isBlocked) sendOutput(connection);
}

static void pollConnections(int64_t nanoseconds) {
    static struct epoll_event events[EVENTS_MAX];
    struct timespec timeout = {nanoseconds / (int64_t)SECOND, nanoseconds % (int64_t)SECOND};
    int count = epoll_pwait2(poller, events, EVENTS_MAX, &timeout, NULL);
    for (int at = 0; at < count; at++) {
        struct Connection *connection = events[at].data.ptr;
        if (!connection->isGone && events[at].events & EPOLLOUT) sendOutput(connection);
        if (!connection->isGone && events[at].events & ~(uint32_t)EPOLLOUT) receiveInput(connection);
    }
}

// MARK: - Connecting

static void openConnection(struct Connection *connection, enum Role role, int index) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(socketPath) >= sizeof address.sun_path) fail("%s is too long for a socket's path", socketPath);
    strcpy(address.sun_path, socketPath);
    connection->role = role;
    connection->index = index;
    connection->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0) fail("socket: %s", strerror(errno));
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address))
        fail("%s: %s", socketPath, strerror(errno));
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    if (role == SUBSCRIBER) {
        connection->expected = allocate((size_t)numberOfPublishers, sizeof *connection->expected);
    } else {
        uint32_t places = rate > 0 ? 1 << 20 : 1;
        while (places < window) places *= 2;
        connection->unanswered = allocate(places, sizeof *connection->unanswered);
        connection->unansweredMask = places - 1;
    }
    dialect->greet(connection);
    sendOutput(connection);
}

static void openAll(void) {
    subscribers = allocate((size_t)numberOfSubscribers, sizeof *subscribers);
    publishers = allocate((size_t)numberOfPublishers, sizeof *publishers);
    for (int at = 0; at < numberOfSubscribers; at++) {
        openConnection(&subscribers[at], SUBSCRIBER, at);
        if (at % 64 == 63) pollConnections(0);
    }
    for (int at = 0; at < numberOfPublishers; at++) openConnection(&publishers[at], PUBLISHER, at);
    uint64_t end = now() + (uint64_t)(secondsConnecting * (double)SECOND);
    while (numberReady < numberOfSubscribers + numberOfPublishers) {
        if (now() > end) fail("%d connections are ready in time: %s", numberReady, firstRefusal);
        pollConnections((int64_t)SECOND / 10);
    }
}

// MARK: - Publishing

static void publish(struct Connection *publisher, uint64_t time) {
    char message[4096];
    if (numberUnanswered(publisher) > publisher->unansweredMask) fail("the server answers too late");
    uint32_t slot = publisher->endOfUnanswered++ & publisher->unansweredMask;
    publisher->unanswered[slot] = time;
    writeMessage(message, messageLength, (struct Stamp){(uint32_t)publisher->index, publisher->next, time});
    dialect->publish(publisher, message, messageLength);
    publisher->next++;
    published++;
    onTheirWay += subscribersLeft;
}

// As much as the windows have room for.
static void publishIntoWindows(void) {
    static int turn;
    int64_t onTheirWayMax = (int64_t)window * numberOfPublishers * subscribersLeft;
    for (int step = 0; step < numberOfPublishers; step++) {
        struct Connection *publisher = &publishers[(turn + step) % numberOfPublishers];
        if (publisher->isBlocked) continue;
        uint64_t time = now();
        int burst = 0;
        while (burst < BURST_MAX && numberUnanswered(publisher) < window) {
            if (onTheirWay + subscribersLeft > onTheirWayMax) break;
            publish(publisher, time);
            burst++;
        }
        if (burst) sendOutput(publisher);
    }
    turn = (turn + 1) % numberOfPublishers;
}

// What is due by now; returns how long it is until the next.
static int64_t publishWhatIsDue(uint64_t begin) {
    static uint64_t number;
    static int turn;
    for (;;) {
        uint64_t due = begin + (uint64_t)((double)number * (double)SECOND / rate), time = now();
        if (due > time) return (int64_t)(due - time);
        struct Connection *publisher = &publishers[turn];
        publish(publisher, due);
        if (!publisher->isBlocked) sendOutput(publisher);
        turn = (turn + 1) % numberOfPublishers;
        number++;
    }
}

static void runUntil(uint64_t end, uint64_t begin) {
    while (now() < end) {
        if (numberOfSubscribers && !subscribersLeft) fail("the server has closed every subscriber's connection");
        if (rate > 0) pollConnections(publishWhatIsDue(begin));
        else {
            publishIntoWindows();
            pollConnections(0);
        }
    }
}

static uint64_t numberOfUnanswered(void) {
    uint64_t sum = 0;
    for (int at = 0; at < numberOfPublishers; at++) sum += numberUnanswered(&publishers[at]);
    return sum;
}

static void drain(void) {
    uint64_t end = now() + (uint64_t)(secondsDraining * (double)SECOND);
    while ((onTheirWay > 0 || numberOfUnanswered()) && now() < end) pollConnections((int64_t)SECOND / 100);
}

// MARK: - The report

struct Mark {
    struct Usage usage;
    uint64_t published, delivered, answered, reads;
};

static struct Mark takeMark(void) {
    return (struct Mark){takeUsage(server), published, delivered, answered, reads};
}

// Returns whether all is well.
static bool report(struct Mark begin, struct Mark end) {
    double time = (double)(end.usage.time - begin.usage.time);
    double deliveries = (double)(end.delivered - begin.delivered);
    double messages = (double)(end.published - begin.published);
    double serverTime = (double)(end.usage.server - begin.usage.server);
    double ownTime = (double)(end.usage.own - begin.usage.own);
    double othersTime = (double)(end.usage.busy - begin.usage.busy) - serverTime - ownTime;
    uint64_t missing = onTheirWay > 0 ? (uint64_t)onTheirWay : 0, unanswered = numberOfUnanswered();
    int closed = numberOfSubscribers - subscribersLeft;
    bool isWell = !lost && !outOfOrder && !refused && !missing && !unanswered && !closed;

    printf("{\"dialect\":\"%s\",\"subscribers\":%d", dialect->name, numberOfSubscribers);
    printf(",\"publishers\":%d,\"window\":%u,\"rate\":%.0f", numberOfPublishers, rate > 0 ? 0 : window, rate);
    printf(",\"length\":%zu,\"seconds\":%.3f", contentLength, time / 1e9);
    printf(",\"deliveriesPerSecond\":%.0f", deliveries / time * 1e9);
    printf(",\"answersPerSecond\":%.0f", (double)(end.answered - begin.answered) / time * 1e9);
    printf(",\"serverMicrosecondsPerDelivery\":%.5f", deliveries > 0 ? serverTime / deliveries / 1e3 : 0);
    printf(",\"serverMicrosecondsPerMessage\":%.3f", messages > 0 ? serverTime / messages / 1e3 : 0);
    printf(",\"messagesPerRead\":%.2f", end.reads > begin.reads ? deliveries / (double)(end.reads - begin.reads) : 0);
    printQuantiles("delivery", &latencies);
    printQuantiles("answer", &answerTimes);
    printf(",\"serverBusy\":%.3f,\"generatorBusy\":%.3f", serverTime / time, ownTime / time);
    printf(",\"othersBusy\":%.3f", othersTime / time);
    printf(",\"stolen\":%.3f", (double)(end.usage.stolen - begin.usage.stolen) / time);
    printf(",\"serverWaited\":%.4f", (double)(end.usage.serverWaited - begin.usage.serverWaited) / time);
    printf(",\"generatorWaited\":%.4f", (double)(end.usage.ownWaited - begin.usage.ownWaited) / time);
    printf(",\"published\":%lu,\"delivered\":%lu,\"lost\":%lu", published, delivered, lost);
    printf(",\"missing\":%lu,\"outOfOrder\":%lu,\"unanswered\":%lu", missing, outOfOrder, unanswered);
    printf(",\"refused\":%lu,\"firstRefusal\":\"%s\",\"closed\":%d", refused, firstRefusal, closed);
    printf(",\"isWell\":%s}\n", isWell ? "true" : "false");
    return isWell;
}

// MARK: -

static double readNumber(const char *name, const char *text, double least) {
    char *end;
    double value = strtod(text, &end);
    if (*end || end == text || value < least) fail("%s is a number from %g up, not %s", name, least, text);
    return value;
}

static void pinTo(int core) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(core, &cores);
    if (sched_setaffinity(0, sizeof cores, &cores)) fail("core %d: %s", core, strerror(errno));
}

static void readArguments(int count, char **arguments) {
    for (int at = 1; at < count; at += 2) {
        const char *name = arguments[at], *value = arguments[at + 1];
        if (at + 1 == count) fail("%s needs a value", name);
        if (!strcmp(name, "--dialect")) dialect = dialectNamed(value);
        else if (!strcmp(name, "--socket")) socketPath = value;
        else if (!strcmp(name, "--server")) server = (pid_t)readNumber(name, value, 1);
        else if (!strcmp(name, "--subscribers")) numberOfSubscribers = (int)readNumber(name, value, 0);
        else if (!strcmp(name, "--publishers")) numberOfPublishers = (int)readNumber(name, value, 1);
        else if (!strcmp(name, "--window")) window = (uint32_t)readNumber(name, value, 1);
        else if (!strcmp(name, "--rate")) rate = readNumber(name, value, 1);
        else if (!strcmp(name, "--length")) contentLength = (size_t)readNumber(name, value, STAMP_LENGTH + 2);
        else if (!strcmp(name, "--seconds")) secondsMeasured = readNumber(name, value, 0.1);
        else if (!strcmp(name, "--warm-up")) secondsWarmUp = readNumber(name, value, 0);
        else if (!strcmp(name, "--core")) pinTo((int)readNumber(name, value, 0));
        else fail("there is no option %s", name);
    }
    if (!dialect || !socketPath || !server) fail("--dialect, --socket and --server are needed");
    if (contentLength > 4000) fail("--length is at most 4000");
    messageLength = contentLength - dialect->lengthOfForm;
}

int main(int count, char **arguments) {
    readArguments(count, arguments);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_TIMERSLACK, 1UL); // Wake up when a message is due, not up to 50 µs later.
    struct rlimit descriptors;
    getrlimit(RLIMIT_NOFILE, &descriptors);
    descriptors.rlim_cur = descriptors.rlim_max;
    setrlimit(RLIMIT_NOFILE, &descriptors);
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (poller < 0) fail("epoll: %s", strerror(errno));
    subscribersLeft = numberOfSubscribers;
    openAll();

    uint64_t begin = now();
    uint64_t warm = begin + (uint64_t)(secondsWarmUp * (double)SECOND);
    runUntil(warm, begin);
    struct Mark first = takeMark();
    measuredFrom = now();
    runUntil(measuredFrom + (uint64_t)(secondsMeasured * (double)SECOND), begin);
    struct Mark last = takeMark();
    drain();
    return report(first, last) ? 0 : 3;
}
