// Go's net/http, with the arguments and the output of the other clients. Run it with GOMAXPROCS=1.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var (
	requests    = flag.Int("requests", 1000, "how many requests in all")
	concurrency = flag.Int("concurrency", 64, "how many of them at once")
	rate        = flag.Int("rate", 0, "requests a second; 0 for as many as possible")
	length      = flag.Int("length", -1, "the bytes that each body must have")
	ca          = flag.String("ca", "", "a file with the only certificates that are trusted")
	_           = flag.Bool("http2", false, "is negotiated in any case, and shares one connection")

	failed atomic.Int64
	client *http.Client
	url    string
)

func main() {
	// The flag package stops at the first word that is not a flag, and here that is the URL, which comes first.
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: go-net-http URL [--requests N] [--concurrency C] [--rate R] [--length L] [--ca FILE]")
		os.Exit(2)
	}
	url = os.Args[1]
	flag.CommandLine.Parse(os.Args[2:])
	client = makeClient()
	sendOne()
	start, cpu := time.Now(), cpuMicroseconds()
	latencies := make([]time.Duration, *requests)
	if *rate > 0 {
		sendAsPlanned(start, latencies)
	} else {
		sendAll()
	}
	elapsed, count := time.Since(start).Seconds(), float64(*requests)
	fmt.Printf("%.0f requests/s, %.2f CPU us/request, %.2f s elapsed, %d failed",
		count/elapsed, (cpuMicroseconds()-cpu)/count, elapsed, failed.Load())
	if *rate > 0 {
		sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
		percentile := func(part float64) int64 {
			return latencies[int(float64(len(latencies)-1)*part)].Microseconds()
		}
		fmt.Printf(", p50 %d us, p99 %d us, p99.9 %d us", percentile(0.5), percentile(0.99), percentile(0.999))
	}
	fmt.Println()
}

func makeClient() *http.Client {
	transport := &http.Transport{MaxIdleConns: *concurrency, MaxIdleConnsPerHost: *concurrency, ForceAttemptHTTP2: true}
	if *ca != "" {
		text, err := os.ReadFile(*ca)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(text)
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &http.Client{Transport: transport, Timeout: 30 * time.Second}
}

func sendOne() {
	response, err := client.Get(url)
	if err != nil {
		fail(err.Error())
		return
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil {
		fail(err.Error())
	} else if response.StatusCode != 200 || *length >= 0 && len(body) != *length {
		fail(fmt.Sprintf("status %d, %d bytes", response.StatusCode, len(body)))
	}
}

func fail(reason string) {
	if failed.Add(1) == 1 {
		fmt.Fprintln(os.Stderr, "failed:", reason)
	}
}

func sendAll() {
	var next atomic.Int64
	var group sync.WaitGroup
	for i := 0; i < *concurrency; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for next.Add(1) <= int64(*requests) {
				sendOne()
			}
		}()
	}
	group.Wait()
}

// sendAsPlanned sends requests at every millisecond. The latency of a request counts from its planned time, so that a
// stall counts for all requests that it delays.
func sendAsPlanned(start time.Time, latencies []time.Duration) {
	places := make(chan struct{}, *concurrency)
	var group sync.WaitGroup
	for next, tick := 0, 0; next < *requests; tick++ {
		time.Sleep(time.Until(start.Add(time.Duration(tick) * time.Millisecond)))
		due := ((tick+1)**rate + 999) / 1000
		for ; next < due && next < *requests; next++ {
			// At most `concurrency` requests at once; the others wait, and their time counts.
			places <- struct{}{}
			group.Add(1)
			go func(number int) {
				defer group.Done()
				sendOne()
				planned := start.Add(time.Duration(number*1000 / *rate) * time.Millisecond)
				latencies[number] = time.Since(planned)
				<-places
			}(next)
		}
	}
	group.Wait()
}

func cpuMicroseconds() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	microseconds := func(time syscall.Timeval) float64 { return float64(time.Sec)*1e6 + float64(time.Usec) }
	return microseconds(usage.Utime) + microseconds(usage.Stime)
}
